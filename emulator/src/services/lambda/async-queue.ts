import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * The outcome of an attempt. `throttled` does not count as an attempt, and `stopped` is not
 * repeated.
 */
export type Attempt = 'done' | 'failed' | 'throttled' | 'stopped';

export interface AsyncQueueOptions {
  /** Absolute folder with one file per unfinished event, so that events survive kill -9. */
  readonly folder: string;
  /** Milliseconds before each retry of a failed event. AWS: 1 minute, then 2. */
  readonly retryDelays: readonly number[];
  readonly attempt: (event: AsyncEvent) => Promise<Attempt>;
  /** The event has used up its retries. */
  readonly onDiscard: (event: AsyncEvent) => void;
}

export interface AsyncEvent {
  readonly functionArn: string;
  /** JSON text. */
  readonly payload: string;
  /** Retries after the first attempt; at most `retryDelays.length`. */
  readonly maxRetries: number;
  readonly traceHeader?: string;
}

/** Number of events in progress; of the others only the names are in memory. */
const CONCURRENCY = 16;
/** Milliseconds before the retry of a throttled event. */
const THROTTLE_DELAY = 1000;

/**
 * Lambda's queue of asynchronous invocations: at least once, in no order.
 * https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-error-handling.html
 */
export class AsyncQueue {
  private readonly waiting: { readonly file: string; readonly retries: number }[] = [];
  private readonly timers = new Set<NodeJS.Timeout>();
  private readonly working = new Set<Promise<void>>();
  private closed = false;

  constructor(private readonly options: AsyncQueueOptions) {
    mkdirSync(options.folder, { recursive: true });
  }

  /** Resumes the events of an earlier run. Their retries start again. */
  resume(): void {
    for (const name of readdirSync(this.options.folder).sort()) {
      const file = join(this.options.folder, name);
      if (name.endsWith('.json')) this.waiting.push({ file, retries: 0 });
      else rmSync(file);
    }
    this.pump();
  }

  /** Resolves once the event is on disk. */
  async add(event: AsyncEvent): Promise<void> {
    const name = `${Date.now()}-${randomBytes(8).toString('hex')}`;
    const file = join(this.options.folder, `${name}.json`);
    const temporary = join(this.options.folder, `${name}.tmp`);
    // Written under another name and renamed: a kill must not leave half an event.
    await writeFile(temporary, JSON.stringify(event), { mode: 0o600 });
    await rename(temporary, file);
    this.waiting.push({ file, retries: 0 });
    this.pump();
  }

  /** Waits for the events in progress; the others stay on disk for the next run. */
  async close(): Promise<void> {
    this.closed = true;
    for (const timer of this.timers) clearTimeout(timer);
    await Promise.all(this.working);
  }

  private pump(): void {
    while (!this.closed && this.working.size < CONCURRENCY) {
      const next = this.waiting.shift();
      if (next === undefined) return;
      const work = this.process(next.file, next.retries).finally(() => {
        this.working.delete(work);
        this.pump();
      });
      this.working.add(work);
    }
  }

  private async process(file: string, retries: number): Promise<void> {
    const event = JSON.parse(readFileSync(file, 'utf8')) as AsyncEvent;
    const result = await this.options.attempt(event);
    // The next run retries what the shutdown interrupts.
    if (this.closed && result !== 'done') return;
    if (result === 'throttled') {
      this.later(THROTTLE_DELAY, file, retries);
      return;
    }
    const delay = retries < event.maxRetries ? this.options.retryDelays[retries] : undefined;
    if (result === 'failed' && delay !== undefined) {
      this.later(delay, file, retries + 1);
      return;
    }
    if (result !== 'done') this.options.onDiscard(event);
    await rm(file, { force: true });
  }

  private later(delay: number, file: string, retries: number): void {
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      this.waiting.push({ file, retries });
      this.pump();
    }, delay);
    this.timers.add(timer);
  }
}
