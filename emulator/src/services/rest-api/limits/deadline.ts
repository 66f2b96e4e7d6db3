/** The time limit has passed. */
export class DeadlineExceeded extends Error {}

/**
 * Settles as `work` does, or rejects with DeadlineExceeded after `ms` milliseconds. The work itself
 * continues, as a Lambda function does; `late` receives its result and releases what that holds.
 */
export function within<T>(work: Promise<T>, ms: number, late?: (result: T) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    let expired = false;
    const timer = setTimeout(() => {
      expired = true;
      reject(new DeadlineExceeded(`no result within ${ms} ms`));
    }, ms);
    // A service that stops does not wait for running functions.
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
