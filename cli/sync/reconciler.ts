/** Brings names into step concurrently, each name in one worker at a time. */
import { setTimeout as wait } from 'node:timers/promises';
import { StowageError } from '../../client/index';
import { codeOf } from './local-files';
import type { Report } from './options';

/** The outcome of an attempt for a name. */
export type Outcome =
  | { readonly did: 'nothing' }
  | {
      readonly did: 'uploaded' | 'downloaded' | 'copied' | 'imported' | 'deleted';
      readonly size?: number;
    }
  /** It cannot be in step. */
  | { readonly did: 'skipped'; readonly reason: string }
  /** It is not in step, and another attempt may succeed when other names are. */
  | { readonly did: 'waits'; readonly reason: string };

export interface ReconcilerOptions {
  /**
   * Compares both sides of a name, and makes the destination equal to the source. It may call
   * `yields` when the name only waits from now on, so that another name begins.
   */
  readonly settle: (name: string, yields: () => void) => Promise<Outcome>;
  /** Called once for each attempt that ended. */
  readonly done: (name: string, outcome: Outcome) => void;
  readonly failed: (name: string, error: unknown) => void;
  /** Called when every name is settled or has failed. */
  readonly idle?: () => void;
  /** Names at the same time. */
  readonly parallel: number;
  /** Attempts while errors are temporary; `Infinity` to retry without an end. */
  readonly attempts: number;
  readonly signal: AbortSignal;
}

/** Rounds after which a name that waits for others has failed. */
const ROUNDS = 4;
const ROUND_MS = 200;
const BACKOFF_MS = 250;
const MAX_BACKOFF_MS = 5_000;

export class Reconciler {
  readonly #options: ReconcilerOptions;
  readonly #waiting = new Set<string>();
  readonly #running = new Set<string>();
  /** Those of the running names that leave their place to others. */
  readonly #yielding = new Set<string>();
  readonly #postponed = new Map<string, number>();
  #resolves: (() => void)[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(options: ReconcilerOptions) {
    this.#options = options;
  }

  /** Adds a name. If a worker has it already, it is compared again afterwards. */
  add(names: Iterable<string>): void {
    for (const name of names) this.#waiting.add(name);
    this.#start();
  }

  /** Resolves when every name is settled or has failed, or the signal is aborted. */
  async settled(): Promise<void> {
    if (this.#isBusy()) await new Promise<void>((resolve) => this.#resolves.push(resolve));
  }

  #isBusy(): boolean {
    return this.#waiting.size + this.#running.size + this.#postponed.size > 0;
  }

  #start(): void {
    const { parallel, signal, idle } = this.#options;
    if (signal.aborted) {
      this.#waiting.clear();
      this.#postponed.clear();
    }
    for (const name of this.#waiting) {
      if (this.#running.size - this.#yielding.size >= parallel) break;
      if (this.#running.has(name)) continue;
      this.#waiting.delete(name);
      this.#running.add(name);
      void this.#work(name).finally(() => {
        this.#running.delete(name);
        this.#yielding.delete(name);
        this.#start();
      });
    }
    if (this.#waiting.size + this.#running.size > 0) return;
    if (this.#postponed.size > 0) {
      this.#timer ??= setTimeout(() => {
        this.#timer = undefined;
        this.add(this.#postponed.keys());
      }, ROUND_MS);
      return;
    }
    for (const resolve of this.#resolves.splice(0)) resolve();
    idle?.();
  }

  async #work(name: string): Promise<void> {
    const { settle, done, failed, signal, attempts } = this.#options;
    const yields = () => {
      this.#yielding.add(name);
      this.#start();
    };
    for (let attempt = 1; !signal.aborted; attempt++) {
      try {
        const outcome = await settle(name, yields);
        if (outcome.did === 'waits') this.#postpone(name, outcome.reason);
        else {
          this.#postponed.delete(name);
          done(name, outcome);
        }
        return;
      } catch (error) {
        // While the service cannot be reached, no further names begin.
        this.#yielding.delete(name);
        if (signal.aborted) return;
        if (!isTemporary(error) || attempt >= attempts) {
          this.#postponed.delete(name);
          failed(name, error);
          return;
        }
        await wait(backoff(error, attempt), undefined, { signal }).catch(() => undefined);
      }
    }
  }

  #postpone(name: string, reason: string): void {
    const rounds = (this.#postponed.get(name) ?? 0) + 1;
    if (rounds < ROUNDS) {
      this.#postponed.set(name, rounds);
      return;
    }
    this.#postponed.delete(name);
    this.#options.failed(name, new Error(reason));
  }
}

function isTemporary(error: unknown): boolean {
  if (error instanceof StowageError) return error.isTemporary;
  // A connection that S3 has cut; the disk's own errors have other codes.
  return ['ECONNRESET', 'ECONNREFUSED', 'ETIMEDOUT', 'EPIPE'].includes(codeOf(error));
}

function backoff(error: unknown, attempt: number): number {
  const asked = error instanceof StowageError ? (error.retryAfter ?? 0) * 1000 : 0;
  const longest = Math.min(MAX_BACKOFF_MS, BACKOFF_MS * 2 ** Math.min(attempt, 10));
  return Math.max(asked, longest * (0.5 + Math.random() / 2));
}

export function reportOutcome(report: Report, name: string, outcome: Outcome): void {
  if (outcome.did === 'skipped') report.skipped(name, outcome.reason);
  else if (outcome.did !== 'waits') {
    report.changed(name, outcome.did, 'size' in outcome ? outcome.size : undefined);
  }
}
