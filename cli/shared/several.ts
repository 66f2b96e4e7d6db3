/** Work on many items, several at a time, each of which can fail on its own. */
import { StowageError } from '../../client/index';
import { EXIT, Reported, UserError } from './errors';
import type { Session } from './session';

/**
 * Runs `work` for each item, `concurrency` at a time. After the first error it starts no further
 * item, waits for those in progress, and throws the error.
 */
export async function eachConcurrently<Item>(
  items: AsyncIterable<Item> | Iterable<Item>,
  concurrency: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const iterator =
    Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]();
  // An async generator answers calls of next() in their order, so workers can share it.
  let isStopped = false;
  const worker = async () => {
    while (!isStopped) {
      const next = await iterator.next();
      if (next.done) return;
      await work(next.value);
    }
  };
  const workers = Array.from({ length: concurrency }, worker);
  try {
    await Promise.all(workers);
  } catch (error) {
    isStopped = true;
    await Promise.allSettled(workers);
    throw error;
  } finally {
    await iterator.return?.();
  }
}

/** Reports failures as they happen, so that one does not prevent the others. */
export class Failures {
  readonly #session: Session;
  #count = 0;
  #tried = 0;
  #only: unknown;

  constructor(session: Session) {
    this.#session = session;
  }

  /** Reports a failure of `work`. Throws a failure that every other item would share. */
  async attempt(about: string, work: () => Promise<void>): Promise<void> {
    this.#tried += 1;
    try {
      await work();
    } catch (error) {
      this.#session.signal.throwIfAborted();
      if (error instanceof StowageError && error.code === 'unauthorized') throw error;
      this.#count += 1;
      this.#only = error;
      this.#session.output.fail(error, about);
    }
  }

  /** Throws if anything failed, with the exit code of the failure if there was only one item. */
  end(): void {
    if (this.#count === 0) return;
    if (this.#tried === 1) throw new Reported(this.#only);
    throw new UserError(`${this.#count} of ${this.#tried} failed`, EXIT.failed);
  }
}
