/**
 * `--watch`: follows the bucket through its change log, and the folder through the file system. The
 * list of the bucket is saved with its cursor. After any end of the command, the next one reads the
 * changes since then and compares the folder with them.
 */
import { setMaxListeners } from 'node:events';
import type { MirrorEvent, ObjectDescriptor } from '../../client/index';
import { NOT_UTF8 } from '../shared/folder-entries';
import { SETTLED_MS } from './contents';
import { FolderWatch } from './folder-watch';
import { type Found, find, type Scan, scan } from './local-files';
import { WORK_FOLDER } from './names';
import { requireObjects } from './object-list';
import { type OpenedPair, reportOthers, scanRoot } from './pair';
import { Reconciler, reportOutcome } from './reconciler';
import type { ListChange } from './state';

/** File systems report a change in several events. */
const GATHER_MS = 150;

/** Runs until the signal is aborted. Throws when the bucket or the folder cannot be followed. */
export async function watchPair(pair: OpenedPair, intervalMs: number): Promise<void> {
  const stop = new AbortController();
  const signal = AbortSignal.any([pair.options.signal, stop.signal]);
  setMaxListeners(0, signal);
  const watched = new WatchedPair({ ...pair, options: { ...pair.options, signal } });
  try {
    await watched.run(intervalMs);
  } finally {
    stop.abort();
    await watched.end();
  }
}

class WatchedPair {
  readonly #pair: OpenedPair;
  readonly #reconciler: Reconciler;
  readonly #folders: FolderWatch | undefined;
  readonly #timers = new Map<string, NodeJS.Timeout>();
  /** Names whose files have changed and are not compared yet. */
  #touched = new Set<string>();
  /** Names to compare once more, because their files had just been changed. */
  #unsettled = new Set<string>();
  /** Whether the list of the bucket is known. */
  #isListed = false;
  /** Whether something was done since inStep was reported. */
  #isNews = true;
  #fail: (error: unknown) => void = () => undefined;

  constructor(pair: OpenedPair) {
    this.#pair = pair;
    const { report, settle, options } = pair;
    this.#reconciler = new Reconciler({
      ...{ settle, parallel: options.parallel, signal: options.signal },
      attempts: Number.POSITIVE_INFINITY,
      failed: report.failed,
      done: (name, outcome) => {
        reportOutcome(report, name, outcome);
        this.#isNews ||= outcome.did !== 'nothing';
        if (outcome.did === 'uploaded') this.#compareAgain(name);
      },
      idle: () => this.#idle(),
    });
    if (pair.direction !== 'to-bucket') return;
    this.#folders = new FolderWatch(
      pair.root,
      (name) => this.#touch(name),
      (error) => report.note(`the folder is only compared at intervals: ${String(error)}`),
    );
  }

  async run(intervalMs: number): Promise<void> {
    const failure = new Promise<never>((_resolve, reject) => {
      this.#fail = reject;
    });
    const compareAtIntervals = () =>
      this.#after('interval', intervalMs, async () => {
        await this.#compareAll();
        compareAtIntervals();
      });
    const { list, state } = this.#pair;
    if (state.list) {
      list.reset(state.list.objects.values());
      this.#isListed = true;
      await this.#compareAll();
    }
    compareAtIntervals();
    await Promise.race([this.#follow(), failure]);
  }

  async end(): Promise<void> {
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#folders?.close();
    await this.#reconciler.settled();
  }

  async #follow(): Promise<void> {
    const { client, bucket, direction, list, state, options } = this.#pair;
    const { bucketId, cursor } = state.list ?? {};
    const at = bucketId === undefined ? {} : { bucketId, cursor };
    const prefix = list.prefix === '' ? {} : { prefix: list.prefix };
    const signal = options.signal;
    let snapshot: Map<string, ObjectDescriptor> | undefined;
    let changes: ListChange[] = [];
    for await (const event of client.mirror(bucket, { ...prefix, ...at, signal })) {
      if (event.type === 'reset') {
        snapshot = new Map();
        changes = [];
      } else if (event.type !== 'cursor') {
        const change = changeOf(event);
        if (!snapshot) changes.push(change);
        else if (change.object) snapshot.set(change.key, change.object);
        else snapshot.delete(change.key);
      } else if (snapshot) {
        const objects = [...snapshot.values()];
        snapshot = undefined;
        if (direction === 'to-folder' && !state.list) {
          requireObjects({ bucket, prefix: list.prefix }, objects.length, options);
        }
        state.saveList(
          event,
          objects.map((object) => ({ key: object.key, object })),
          true,
        );
        list.reset(objects);
        this.#isListed = true;
        await this.#compareAll();
      } else if (event.cursor > (state.list?.cursor ?? -1)) {
        state.saveList(event, changes, false);
        this.#apply(changes, event.cursor);
        changes = [];
      }
    }
  }

  #apply(changes: readonly ListChange[], cursor: number): void {
    const { list } = this.#pair;
    const names = new Set<string>();
    for (const { key, object } of changes) {
      const at = object?.cursor ?? cursor;
      for (const name of list.apply(list.nameOf(key), at, object)) names.add(name);
    }
    if (names.size > 0) this.#isNews = true;
    this.#reconciler.add(names);
  }

  async #compareAll(): Promise<void> {
    if (!this.#isListed) return;
    const { list } = this.#pair;
    const { files } = await scanRoot(this.#pair, (folders) => this.#folders?.add(folders) ?? false);
    for (const name of list.names) files.add(name);
    this.#reconciler.add(files);
  }

  #touch(name: string): void {
    if (name.split('/')[0] === WORK_FOLDER || this.#pair.options.isPruned(name)) return;
    this.#touched.add(name);
    this.#after('gather', GATHER_MS, () => this.#compareTouched());
  }

  async #compareTouched(): Promise<void> {
    const { root, list, options, report } = this.#pair;
    const touched = this.#touched;
    this.#touched = new Set();
    const names = new Set<string>();
    const folders: string[] = [];
    for (const name of touched) {
      const found: Found = name === '' ? { kind: 'folder' } : await find(root, name);
      names.add(name);
      if (found.kind === 'not-utf8') report.skipped(found.shown, NOT_UTF8);
      if (found.kind === 'file') continue;
      // Also after the folder was removed or replaced.
      folders.push(`${name}/`);
      this.#folders?.forget(name);
      if (found.kind !== 'folder') continue;
      let below: Scan;
      do below = await scan(root, options.isPruned, options.signal, name);
      while (this.#folders?.add(below.folders));
      reportOthers(this.#pair, below);
      for (const file of below.files) names.add(file);
    }
    if (folders.length > 0) {
      for (const name of list.names) {
        if (folders.some((folder) => name.startsWith(folder))) names.add(name);
      }
    }
    names.delete('');
    if (this.#isListed) this.#reconciler.add(names);
  }

  #compareAgain(name: string): void {
    if (!this.#pair.contents.isUnsettled(name)) return;
    this.#unsettled.add(name);
    this.#after('unsettled', SETTLED_MS, async () => {
      const names = this.#unsettled;
      this.#unsettled = new Set();
      this.#reconciler.add(names);
    });
  }

  #idle(): void {
    const { options, report, state } = this.#pair;
    if (!this.#isNews || !this.#isListed || options.signal.aborted) return;
    this.#isNews = false;
    report.inStep(state.list?.cursor);
  }

  /** Runs `work` after the delay, unless it is already scheduled. */
  #after(name: string, milliseconds: number, work: () => Promise<void>): void {
    const { signal } = this.#pair.options;
    if (signal.aborted || this.#timers.has(name)) return;
    const run = () => {
      this.#timers.delete(name);
      work().catch((error: unknown) => {
        if (!signal.aborted) this.#fail(error);
      });
    };
    this.#timers.set(name, setTimeout(run, milliseconds));
  }
}

function changeOf(event: Exclude<MirrorEvent, { readonly type: 'reset' | 'cursor' }>): ListChange {
  const { key } = event.object;
  return event.type === 'delete' ? { key } : { key, object: event.object };
}
