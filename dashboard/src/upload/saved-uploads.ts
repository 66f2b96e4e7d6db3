/**
 * Unfinished uploads, saved in the browser so that they can be resumed after a reload. Content, API
 * keys and signed URLs are not saved.
 */
import type { ResumeStore, SavedUpload } from '../../../client/transfer/saved-upload';
import type { FileIdentity } from './file-identity';

/** An upload in parts that has begun. */
export interface InterruptedUpload {
  readonly id: string;
  readonly bucket: string;
  readonly key: string;
  readonly file: FileIdentity;
  /** Whether the upload may replace an existing object. */
  readonly mayReplace: boolean;
  /** Time of the last save, in epoch milliseconds. */
  readonly savedAt: number;
  /** The state that the client needs to resume the upload. */
  readonly saved: SavedUpload;
  /** The file itself, where the browser provides a handle that can be saved. */
  readonly handle?: FileSystemFileHandle;
}

const NAME = 'stowage-uploads';
/** Version of the database. Since 2 it holds the state of the client instead of signed URLs. */
const VERSION = 2;

/** URLs are valid for an hour and can be signed again for a day: docs/api.md, "Multipart". */
const RESUMABLE_MS = 25 * 3600 * 1000;

export class SavedUploads {
  #opened: Promise<IDBDatabase> | undefined;

  /** Returns the uploads that can be resumed and removes the others. `now`: epoch milliseconds. */
  async all(now: number): Promise<readonly InterruptedUpload[]> {
    const reading = (await this.#database()).transaction('uploads');
    const uploads = await resultOf<InterruptedUpload[]>(reading.objectStore('uploads').getAll());
    const isResumable = ({ savedAt }: InterruptedUpload) => savedAt + RESUMABLE_MS > now;
    const old = uploads.filter((upload) => !isResumable(upload));
    await Promise.all(old.map(({ id }) => this.remove(id)));
    return uploads.filter(isResumable);
  }

  /** Returns the store for the state of one upload. `changed` is called with every new state. */
  resumeStore(
    upload: Omit<InterruptedUpload, 'saved' | 'savedAt'>,
    changed: (saved: SavedUpload | undefined) => void,
  ): ResumeStore {
    const { id } = upload;
    return {
      load: async () => {
        const reading = (await this.#database()).transaction('uploads').objectStore('uploads');
        return (await resultOf<InterruptedUpload | undefined>(reading.get(id)))?.saved;
      },
      save: async (saved) => {
        changed(saved);
        const writing = (await this.#database()).transaction('uploads', 'readwrite');
        const item: InterruptedUpload = { ...upload, saved, savedAt: Date.now() };
        writing.objectStore('uploads').put(item);
        await end(writing);
      },
      clear: async () => {
        changed(undefined);
        await this.remove(id);
      },
    };
  }

  async remove(id: string): Promise<void> {
    const writing = (await this.#database()).transaction('uploads', 'readwrite');
    writing.objectStore('uploads').delete(id);
    await end(writing);
  }

  async removeAll(): Promise<void> {
    const writing = (await this.#database()).transaction('uploads', 'readwrite');
    writing.objectStore('uploads').clear();
    await end(writing);
  }

  #database(): Promise<IDBDatabase> {
    this.#opened ??= open();
    return this.#opened;
  }
}

/** Returns the number of bytes in the parts that S3 has. */
export function storedBytes({ etags, partSize, size }: SavedUpload): number {
  return Object.keys(etags).reduce((sum, number) => {
    const from = (Number(number) - 1) * partSize;
    return sum + Math.min(partSize, size - from);
  }, 0);
}

function open(): Promise<IDBDatabase> {
  const request = indexedDB.open(NAME, VERSION);
  request.onupgradeneeded = () => {
    const { result } = request;
    for (const store of [...result.objectStoreNames]) result.deleteObjectStore(store);
    result.createObjectStore('uploads', { keyPath: 'id' });
  };
  return resultOf(request);
}

function resultOf<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

function end(transaction: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onerror = () => reject(transaction.error);
    transaction.onabort = () => reject(transaction.error);
  });
}
