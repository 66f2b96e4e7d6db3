/** A task for one of the two load clients, and its timings. */

export type OperationName = 'PUT' | 'GET' | 'HEAD' | 'list' | 'signed-url GET' | 'signed-url PUT';

export interface Task {
  readonly operation: OperationName;
  /** Bytes of the object; 0 for operations without one. */
  readonly size: number;
  /** Requests in flight at a time. */
  readonly concurrency: number;
  /** Requests at most. */
  readonly count: number;
  /** Milliseconds after which no further request is begun. */
  readonly milliseconds: number;
}

export interface Timings {
  /** Milliseconds of each request. */
  readonly latencies: readonly number[];
  /** From the first request to the last response. */
  readonly seconds: number;
}

/** Repeats one operation as the task says. Throws the first failure. */
export async function measure(
  { concurrency, count, milliseconds }: Task,
  run: () => Promise<void>,
): Promise<Timings> {
  const latencies: number[] = [];
  const begun = performance.now();
  let left = count;
  const repeat = async () => {
    while (left-- > 0 && performance.now() - begun < milliseconds) {
      const started = performance.now();
      await run();
      latencies.push(performance.now() - started);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, repeat));
  return { latencies, seconds: (performance.now() - begun) / 1000 };
}
