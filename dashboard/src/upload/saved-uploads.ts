/**
 * Unfinished uploads, saved in the browser so that they can be resumed after a reload: with signed
 * URLs, never with a key.
 */
import type { FinishedParts, PartedUpload } from './plan';

export interface SavedUpload {
  readonly upload: PartedUpload;
  readonly finished: FinishedParts;
}

interface StoredPart {
  readonly upload: string;
  readonly number: number;
  readonly etag: string;
}

const NAME = 'stowage-uploads';

/** docs/api.md, "Multipart". */
const SIGNED_AGAIN_WITHIN_MS = 24 * 3600 * 1000;

export class SavedUploads {
  #opened: Promise<IDBDatabase> | undefined;

  /** Returns the uploads that can be resumed and removes the others. `now`: epoch milliseconds. */
  async all(now: number): Promise<readonly SavedUpload[]> {
    const database = await this.#database();
    const reading = database.transaction(['uploads', 'parts']);
    const [uploads, parts] = await Promise.all([
      resultOf<PartedUpload[]>(reading.objectStore('uploads').getAll()),
      resultOf<StoredPart[]>(reading.objectStore('parts').getAll()),
    ]);
    const isResumable = ({ expiresAt }: PartedUpload) => expiresAt + SIGNED_AGAIN_WITHIN_MS > now;
    await Promise.all(
      uploads.filter((upload) => !isResumable(upload)).map(({ id }) => this.remove(id)),
    );
    return uploads.filter(isResumable).map((upload) => ({
      upload,
      finished: new Map(
        parts.filter((part) => part.upload === upload.id).map(({ number, etag }) => [number, etag]),
      ),
    }));
  }

  async add(upload: PartedUpload): Promise<void> {
    const writing = (await this.#database()).transaction('uploads', 'readwrite');
    writing.objectStore('uploads').put(upload);
    await end(writing);
  }

  async addPart(upload: string, number: number, etag: string): Promise<void> {
    const writing = (await this.#database()).transaction('parts', 'readwrite');
    writing.objectStore('parts').put({ upload, number, etag } satisfies StoredPart);
    await end(writing);
  }

  async remove(upload: string): Promise<void> {
    const writing = (await this.#database()).transaction(['uploads', 'parts'], 'readwrite');
    writing.objectStore('uploads').delete(upload);
    // An array sorts after every number: the range holds all parts of this upload.
    writing.objectStore('parts').delete(IDBKeyRange.bound([upload], [upload, []]));
    await end(writing);
  }

  async removeAll(): Promise<void> {
    const writing = (await this.#database()).transaction(['uploads', 'parts'], 'readwrite');
    writing.objectStore('uploads').clear();
    writing.objectStore('parts').clear();
    await end(writing);
  }

  #database(): Promise<IDBDatabase> {
    this.#opened ??= open();
    return this.#opened;
  }
}

function open(): Promise<IDBDatabase> {
  const request = indexedDB.open(NAME, 1);
  request.onupgradeneeded = () => {
    request.result.createObjectStore('uploads', { keyPath: 'id' });
    request.result.createObjectStore('parts', { keyPath: ['upload', 'number'] });
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
