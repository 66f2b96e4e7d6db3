/** A task for one of the two load clients, and its timings. */

export type OperationName = 'PUT' | 'GET' | 'HEAD' | 'list' | 'signed-url GET' | 'signed-url PUT';

export interface Task {
  readonly operation: OperationName;
  /** Bytes of the object; 0 for operations without one. */
  readonly size: number;
  /** Concurrent requests. */
  readonly concurrency: number;
  /** Maximum number of requests. */
  readonly count: number;
  /** Milliseconds after which no further request starts. */
  readonly milliseconds: number;
}

export interface Timings {
  /** Milliseconds of each request. */
  readonly latencies: readonly number[];
  /** From the first request to the last response. */
  readonly seconds: number;
}

/** Repeats an operation within the bounds of the task. Throws the first failure. */
export async function measure(
  { concurrency, count, milliseconds }: Task,
  run: () => Promise<void>,
): Promise<Timings> {
  const latencies: number[] = [];
  const started = performance.now();
  let left = count;
  const repeat = async () => {
    while (left-- > 0 && performance.now() - started < milliseconds) {
      const sent = performance.now();
      await run();
      latencies.push(performance.now() - sent);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, repeat));
  return { latencies, seconds: (performance.now() - started) / 1000 };
}
