/** The jobs of this page, and those that an earlier visit left unfinished. */
import type { StowageClient } from '../../../client/client';
import { errorMessage } from '../api/error-message';
import { bucketsOf, type JobItem, type JobSpec, type JobWatch, titleOf } from './job';
import { runJob } from './run-job';

/** A job that cannot be continued after a reload. */
export interface PassingJob {
  readonly title: string;
  readonly run: (watch: JobWatch) => Promise<void>;
}

/** Prefix of the names in localStorage under which jobs are saved, each as JSON of its JobSpec. */
const PREFIX = 'stowage-job-';

export class JobQueue {
  readonly #client: StowageClient;
  readonly #listeners = new Set<() => void>();
  readonly #stops = new Map<string, AbortController>();
  readonly #specs = new Map<string, JobSpec>();
  #items: readonly JobItem[] = [];
  #restored: Promise<void> | undefined;

  constructor(client: StowageClient) {
    this.#client = client;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly items = (): readonly JobItem[] => this.#items;

  /** Lists the jobs of an earlier visit; further calls do nothing. */
  restore(): Promise<void> {
    this.#restored ??= this.#restore();
    return this.#restored;
  }

  async #restore(): Promise<void> {
    // A job that another tab runs is not listed as interrupted.
    const { held = [] } = await navigator.locks.query();
    const running = new Set(held.map(({ name }) => name));
    for (const name of savedNames()) {
      const spec = parseSpec(localStorage.getItem(name));
      if (running.has(name) || !spec) continue;
      const id = name.slice(PREFIX.length);
      this.#specs.set(id, spec);
      this.#put({ ...newItem(id, titleOf(spec), bucketsOf(spec)), state: 'interrupted' });
    }
  }

  start(spec: JobSpec): void {
    const id = crypto.randomUUID();
    this.#specs.set(id, spec);
    try {
      localStorage.setItem(PREFIX + id, JSON.stringify(spec));
    } catch {
      // If localStorage is full, the job runs but cannot be continued after a reload.
    }
    this.#put(newItem(id, titleOf(spec), bucketsOf(spec)));
    this.#runSpec(id, spec);
  }

  startPassing({ title, run }: PassingJob): void {
    const id = crypto.randomUUID();
    this.#put({ ...newItem(id, title, []), canContinue: false });
    void this.#run(id, run);
  }

  continue(id: string): void {
    const item = this.#item(id);
    const spec = this.#specs.get(id);
    if (!item || !spec) return;
    this.#put({ ...item, state: 'running', problem: undefined });
    this.#runSpec(id, spec);
  }

  /** Removes a job from the list. Stops it if it runs; the changes that it has made remain. */
  remove(id: string): void {
    this.#stops.get(id)?.abort();
    this.#forget(id);
    this.#items = this.#items.filter((item) => item.id !== id);
    this.#notify();
  }

  /** Removes all jobs, also the saved ones, when the user signs out. */
  clear(): void {
    for (const { id } of this.#items) this.remove(id);
    for (const name of savedNames()) localStorage.removeItem(name);
  }

  #runSpec(id: string, spec: JobSpec): void {
    void navigator.locks.request(PREFIX + id, { ifAvailable: true }, async (lock) => {
      if (lock) await this.#run(id, (watch) => runJob(this.#client, spec, watch));
      else this.#change(id, { state: 'failed', problem: 'Another tab runs this job.' });
    });
  }

  async #run(id: string, work: (watch: JobWatch) => Promise<void>): Promise<void> {
    const stop = new AbortController();
    const { signal } = stop;
    this.#stops.set(id, stop);
    try {
      await work({
        id,
        signal,
        progress: (progress) => this.#change(id, { progress }),
        skip: (key) => this.#change(id, { skipped: [...(this.#item(id)?.skipped ?? []), key] }),
      });
      this.#forget(id);
      this.#change(id, { state: 'done' });
    } catch (error) {
      if (signal.aborted) return;
      this.#change(id, { state: 'failed', problem: errorMessage(error).message });
    }
  }

  #forget(id: string): void {
    this.#specs.delete(id);
    localStorage.removeItem(PREFIX + id);
  }

  #item(id: string): JobItem | undefined {
    return this.#items.find((item) => item.id === id);
  }

  #change(id: string, change: Partial<JobItem>): void {
    const item = this.#item(id);
    if (item) this.#put({ ...item, ...change });
  }

  #put(item: JobItem): void {
    const others = this.#items.filter(({ id }) => id !== item.id);
    const isKnown = others.length < this.#items.length;
    this.#items = isKnown
      ? this.#items.map((other) => (other.id === item.id ? item : other))
      : [...others, item];
    this.#notify();
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }
}

function newItem(id: string, title: string, buckets: readonly string[]): JobItem {
  return { id, title, buckets, state: 'running', progress: '', skipped: [], canContinue: true };
}

function savedNames(): readonly string[] {
  return Object.keys(localStorage).filter((name) => name.startsWith(PREFIX));
}

/** Returns undefined for a text that is not a saved job. */
function parseSpec(text: string | null): JobSpec | undefined {
  try {
    const value = JSON.parse(text ?? '') as JobSpec;
    return ['delete', 'copy', 'move'].includes(value.kind) ? value : undefined;
  } catch {
    return undefined;
  }
}
