/** The uploads of this page, and the unfinished uploads of an earlier visit. */

import { errorMessage } from '../api/error-message';
import type { StorageApi } from '../api/storage';
import type { PartedUpload } from './plan';
import { type FileIdentity, type FinishedParts, finishedBytes, isSameFile, keyError } from './plan';
import { SavedUploads } from './saved-uploads';
import { PartError } from './send-part';
import { AlreadyThere, abandon, resumeUpload, type Source, transfer } from './transfer';

export type UploadState =
  | 'waiting'
  | 'sending'
  | 'finishing'
  | 'done'
  /** Begun in an earlier visit: needs the file again. */
  | 'interrupted'
  /** There is an object with this key already. */
  | 'exists'
  | 'failed';

export interface UploadItem {
  readonly id: string;
  readonly bucket: string;
  readonly key: string;
  readonly file: FileIdentity;
  /** Bytes. */
  readonly sent: number;
  readonly state: UploadState;
  /** Why it failed. */
  readonly problem?: string;
  readonly mayReplace: boolean;
  /** The browser can open the file again without asking where it is. */
  readonly hasHandle: boolean;
}

interface Work {
  readonly source?: Source;
  /** An upload in parts that has begun. */
  readonly upload?: PartedUpload;
  readonly stop: AbortController;
}

/** Files that are sent concurrently; each sends several parts concurrently. */
const CONCURRENCY = 2;

export class UploadQueue {
  readonly #storage: StorageApi;
  readonly #saved = new SavedUploads();
  readonly #listeners = new Set<() => void>();
  readonly #work = new Map<string, Work>();
  #items: readonly UploadItem[] = [];
  #restored: Promise<void> | undefined;

  constructor(storage: StorageApi) {
    this.#storage = storage;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly items = (): readonly UploadItem[] => this.#items;

  /** Restores the uploads of an earlier visit, once. */
  restore(): Promise<void> {
    this.#restored ??= this.#restore();
    return this.#restored;
  }

  async #restore(): Promise<void> {
    for (const { upload, finished } of await this.#saved.all(Date.now())) {
      const { id, bucket, key, file, handle, mayReplace } = upload;
      this.#work.set(id, { upload, stop: new AbortController() });
      const sent = finishedBytes(upload, finished);
      const hasHandle = handle !== undefined;
      const item = { id, bucket, key, file, sent, mayReplace, hasHandle };
      this.#put({ ...item, state: 'interrupted' });
    }
  }

  /** Adds an upload, or resumes an interrupted upload of the same file to the same key. */
  async add(bucket: string, key: string, source: Source): Promise<void> {
    await this.restore();
    const known = this.#items.find(
      (item) =>
        item.state === 'interrupted' &&
        item.bucket === bucket &&
        item.key === key &&
        isSameFile(item.file, source.file),
    );
    if (known) return this.resume(known.id, source.file);
    const id = crypto.randomUUID();
    const problem = keyError(key);
    const { name, size, lastModified } = source.file;
    const file = { name, size, lastModified };
    this.#work.set(id, { source, stop: new AbortController() });
    const item = { id, bucket, key, file, sent: 0, mayReplace: false, hasHandle: false };
    this.#put({ ...item, state: problem === undefined ? 'waiting' : 'failed', problem });
    this.#startNext();
  }

  /** Throws an Error with a message for the user when it is another file. */
  async resume(id: string, file: File): Promise<void> {
    const item = this.#item(id);
    const work = this.#work.get(id);
    if (!item || !work) return;
    if (!isSameFile(item.file, file)) {
      throw new Error(
        `This is another file, or it has changed. Choose the unchanged “${item.file.name}”.`,
      );
    }
    this.#work.set(id, { ...work, source: { file }, stop: new AbortController() });
    this.#put({ ...item, state: 'waiting', problem: undefined });
    this.#startNext();
  }

  /** Resumes with the saved file handle; the browser may ask the user for permission. */
  async resumeByHandle(id: string): Promise<void> {
    const handle = this.#work.get(id)?.upload?.handle;
    if (!handle) return;
    // Not in the standard's types yet: https://wicg.github.io/file-system-access/
    const asking = handle as FileSystemFileHandle & {
      requestPermission?: (options: { mode: 'read' }) => Promise<PermissionState>;
    };
    if ((await asking.requestPermission?.({ mode: 'read' })) === 'denied') {
      throw new Error('The browser may not read the file. Choose it again.');
    }
    await this.resume(id, await handle.getFile());
  }

  retry(id: string, options: { readonly replace?: boolean } = {}): void {
    const item = this.#item(id);
    const work = this.#work.get(id);
    if (!item || !work?.source) return;
    this.#work.set(id, { ...work, stop: new AbortController() });
    const mayReplace = item.mayReplace || options.replace === true;
    this.#put({ ...item, state: 'waiting', problem: undefined, mayReplace });
    this.#startNext();
  }

  /** Removes an upload and aborts it; parts that were sent are removed too. */
  async remove(id: string): Promise<void> {
    const work = this.#work.get(id);
    this.#work.delete(id);
    this.#items = this.#items.filter((item) => item.id !== id);
    this.#notify();
    work?.stop.abort();
    if (work?.upload) await abandon(this.#saved, work.upload);
    this.#startNext();
  }

  /** At sign-out: removes every upload from the browser. */
  async clear(): Promise<void> {
    for (const { stop } of this.#work.values()) stop.abort();
    this.#work.clear();
    this.#items = [];
    this.#notify();
    await this.#saved.removeAll();
  }

  #startNext(): void {
    const running = this.#items.filter(
      ({ state }) => state === 'sending' || state === 'finishing',
    ).length;
    const next = this.#items.find(({ state }) => state === 'waiting');
    if (!next || running >= CONCURRENCY) return;
    this.#put({ ...next, state: 'sending' });
    // Two tabs must not send the same upload.
    void navigator.locks
      .request(`stowage-upload-${next.id}`, { ifAvailable: true }, async (lock) => {
        if (lock) await this.#run(next.id);
        else this.#change(next.id, { state: 'failed', problem: 'Another tab uploads this file.' });
      })
      .finally(() => this.#startNext());
    this.#startNext();
  }

  async #run(id: string): Promise<void> {
    const item = this.#item(id);
    const work = this.#work.get(id);
    if (!item || !work?.source) return;
    const { bucket, key, mayReplace } = item;
    const watch = {
      progress: (sent: number) => this.#change(id, { sent }),
      finishing: () => this.#change(id, { state: 'finishing' }),
      signal: work.stop.signal,
    };
    const deps = { storage: this.#storage, savedUploads: this.#saved };
    const begun = (upload: PartedUpload) => {
      const current = this.#work.get(id);
      if (current) this.#work.set(id, { ...current, upload });
    };
    try {
      const { source, upload } = work;
      if (upload) {
        const finished = await this.#finished(upload);
        await resumeUpload(deps, { upload, finished, file: source.file }, watch);
      } else {
        await transfer(deps, { target: { bucket, key, mayReplace }, source, begun }, watch);
      }
      this.#work.delete(id);
      this.#change(id, { state: 'done', sent: item.file.size });
    } catch (error) {
      this.#fail(id, error, work.stop.signal);
    }
  }

  async #finished({ id }: PartedUpload): Promise<FinishedParts> {
    const all = await this.#saved.all(Date.now());
    return all.find(({ upload }) => upload.id === id)?.finished ?? new Map();
  }

  #fail(id: string, error: unknown, signal: AbortSignal): void {
    if (signal.aborted) return;
    if (error instanceof AlreadyThere) {
      this.#change(id, { state: 'exists' });
      return;
    }
    // An upload that cannot be resumed starts from the beginning when it is retried.
    const work = this.#work.get(id);
    if (work && error instanceof PartError && error.failure !== 'temporary') {
      this.#work.set(id, { source: work.source, stop: work.stop });
    }
    this.#change(id, { state: 'failed', problem: errorMessage(error).message });
  }

  #item(id: string): UploadItem | undefined {
    return this.#items.find((item) => item.id === id);
  }

  #change(id: string, change: Partial<UploadItem>): void {
    const item = this.#item(id);
    if (item) this.#put({ ...item, ...change });
  }

  #put(item: UploadItem): void {
    const isKnown = this.#items.some(({ id }) => id === item.id);
    this.#items = isKnown
      ? this.#items.map((other) => (other.id === item.id ? item : other))
      : [...this.#items, item];
    this.#notify();
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }
}
