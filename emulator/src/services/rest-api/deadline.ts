/** The work took longer than it may. */
export class DeadlineExceeded extends Error {}

/**
 * The promise's outcome, or DeadlineExceeded after so many milliseconds. The work itself goes on,
 * as a Lambda function's does; `late` gets its result, so that nothing it holds is left open.
 */
export function within<T>(work: Promise<T>, ms: number, late?: (result: T) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    let expired = false;
    const timer = setTimeout(() => {
      expired = true;
      reject(new DeadlineExceeded(`no answer within ${ms} ms`));
    }, ms);
    // A stopped service does not wait for functions that were under way.
    timer.unref();
    work.then(
      (result) => {
        clearTimeout(timer);
        if (expired) late?.(result);
        else resolve(result);
      },
      (error) => {
        clearTimeout(timer);
        reject(error);
      },
    );
  });
}
