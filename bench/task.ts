/** What the two load clients are told to do, and what they answer. */

export type OperationName = 'PUT' | 'GET' | 'HEAD' | 'list' | 'signed-url GET' | 'signed-url PUT';

export interface Task {
  readonly operation: OperationName;
  /** Bytes of the object; 0 where there is none. */
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
  /** From the first request to the last answer. */
  readonly seconds: number;
}

/** Repeats one operation as the task says. The first failure ends it. */
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
