/** The uploads of this page, and the unfinished uploads of an earlier visit. */

import type { StowageClient } from '../../../client/client';
import { StowageError } from '../../../client/errors';
import type { SavedUpload } from '../../../client/transfer/saved-upload';
import { errorMessage } from '../api/error-message';
import { contentTypeOf } from './content-type';
import { identityOf, isSameFile, keyError } from './file-identity';
import { standsStill, withProgress } from './pace';
import { type InterruptedUpload, SavedUploads, storedBytes } from './saved-uploads';
import type { FileSource, UploadItem } from './upload-item';

interface Work {
  readonly source?: FileSource;
  /** The state of an upload in parts that has begun. */
  readonly saved?: SavedUpload;
  readonly stop: AbortController;
}

/** Files that are sent concurrently; each sends several parts concurrently. */
const CONCURRENCY = 2;

/** Abort reason for an upload that is to start again at once. */
const AGAIN = new DOMException('The connection is back.', 'AbortError');

export class UploadQueue {
  readonly #client: StowageClient;
  readonly #saved = new SavedUploads();
  readonly #listeners = new Set<() => void>();
  readonly #work = new Map<string, Work>();
  readonly #handles = new Map<string, FileSystemFileHandle>();
  #items: readonly UploadItem[] = [];
  #restored: Promise<void> | undefined;

  constructor(client: StowageClient) {
    this.#client = client;
    window.addEventListener('online', () => this.#continue());
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly items = (): readonly UploadItem[] => this.#items;

  /** Restores the uploads of an earlier visit; further calls do nothing. */
  restore(): Promise<void> {
    this.#restored ??= this.#restore();
    return this.#restored;
  }

  async #restore(): Promise<void> {
    for (const upload of await this.#saved.all(Date.now())) {
      const { id, bucket, key, file, handle, mayReplace, saved } = upload;
      this.#work.set(id, { saved, stop: new AbortController() });
      if (handle) this.#handles.set(id, handle);
      const sent = storedBytes(saved);
      const item = { id, bucket, key, file, sent, mayReplace, hasHandle: handle !== undefined };
      this.#put({ ...item, state: 'interrupted' });
    }
  }

  /** Adds an upload, or resumes an interrupted upload of the same file to the same key. */
  async add(bucket: string, key: string, source: FileSource): Promise<void> {
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
    if (source.handle) this.#handles.set(id, source.handle);
    this.#work.set(id, { source, stop: new AbortController() });
    const file = identityOf(source.file);
    const item = { id, bucket, key, file, sent: 0, mayReplace: false, hasHandle: false };
    this.#put({ ...item, state: problem === undefined ? 'waiting' : 'failed', problem });
    this.#startNext();
  }

  /** Resumes with the file. Throws an Error with a message for the user if it is another file. */
  async resume(id: string, file: File): Promise<void> {
    const item = this.#item(id);
    if (!item || !this.#work.has(id)) return;
    if (!isSameFile(item.file, file)) {
      throw new Error(
        `This is another file, or it has changed. Choose the unchanged “${item.file.name}”.`,
      );
    }
    this.#begin(item, { file });
  }

  /** Resumes with the saved file handle; the browser may ask the user for permission. */
  async resumeByHandle(id: string): Promise<void> {
    const handle = this.#handles.get(id);
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
    const source = this.#work.get(id)?.source;
    if (!item || !source) return;
    this.#begin({ ...item, mayReplace: item.mayReplace || options.replace === true }, source);
  }

  /** Aborts an upload and removes it, with the parts that were sent. */
  async remove(id: string): Promise<void> {
    const work = this.#work.get(id);
    this.#work.delete(id);
    this.#handles.delete(id);
    this.#items = this.#items.filter((item) => item.id !== id);
    this.#notify();
    work?.stop.abort();
    if (work?.saved) {
      await this.#saved.remove(id);
      // If this fails, the service removes the parts a day after their URLs have expired.
      await this.#client.abortUpload(work.saved).catch(() => undefined);
    }
    this.#startNext();
  }

  /** At sign-out: removes every upload from the browser. */
  async clear(): Promise<void> {
    for (const { stop } of this.#work.values()) stop.abort();
    this.#work.clear();
    this.#handles.clear();
    this.#items = [];
    this.#notify();
    await this.#saved.removeAll();
  }

  /** Continues stalled and failed uploads at once when the browser is online again. */
  #continue(): void {
    for (const { id, state, pace, isCutOff } of this.#items) {
      const isRunning = state === 'sending' || state === 'finishing';
      const isStuck = isRunning && pace !== undefined && standsStill(pace, Date.now());
      if (isStuck) this.#work.get(id)?.stop.abort(AGAIN);
      else if (isCutOff) this.retry(id);
    }
  }

  #begin(item: UploadItem, source: FileSource): void {
    const work = this.#work.get(item.id);
    this.#work.set(item.id, { ...work, source, stop: new AbortController() });
    this.#put({ ...item, state: 'waiting', problem: undefined, isCutOff: false, pace: undefined });
    this.#startNext();
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
    const { bucket, key, file, mayReplace } = item;
    const { signal } = work.stop;
    const handle = this.#handles.get(id);
    const upload: Omit<InterruptedUpload, 'saved' | 'savedAt'> = {
      ...{ id, bucket, key, file, mayReplace },
      ...(handle && { handle }),
    };
    const saves = (saved: SavedUpload | undefined) => {
      const current = this.#work.get(id);
      if (current) this.#work.set(id, { ...current, saved });
    };
    try {
      await this.#client.upload(bucket, key, work.source.file, {
        ...(!mayReplace && { ifNoneMatch: '*' }),
        contentType: await contentTypeOf(work.source.file),
        resume: this.#saved.resumeStore(upload, saves),
        // Signing out in another tab revokes the key of this one.
        signsAgain: true,
        signal,
        onProgress: ({ sent }) => this.#progress(id, sent),
      });
      this.#work.delete(id);
      this.#handles.delete(id);
      this.#change(id, { state: 'done', sent: file.size });
    } catch (error) {
      this.#fail(id, error, signal);
    }
  }

  #progress(id: string, sent: number): void {
    const item = this.#item(id);
    if (!item) return;
    const state = sent === item.file.size ? 'finishing' : 'sending';
    this.#put({ ...item, sent, state, pace: withProgress(item.pace, Date.now(), sent) });
  }

  #fail(id: string, error: unknown, signal: AbortSignal): void {
    if (signal.aborted && signal.reason !== AGAIN) return;
    if (signal.aborted) {
      this.retry(id);
      return;
    }
    const code = error instanceof StowageError ? error.code : undefined;
    if (code === 'precondition_failed') this.#change(id, { state: 'exists' });
    else {
      const { message: problem } = errorMessage(error);
      this.#change(id, { state: 'failed', problem, isCutOff: code === 'network' });
    }
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
