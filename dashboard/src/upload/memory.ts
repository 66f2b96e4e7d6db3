/**
 * Uploads that are not complete, kept by the browser so that they can go on after a reload. Signed
 * URLs, never a key.
 */
import type { FinishedParts, PartedUpload } from './plan';

export interface RememberedUpload {
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

export class UploadMemory {
  #opened: Promise<IDBDatabase> | undefined;

  /** Those that can go on; others are forgotten. `now`: epoch milliseconds. */
  async all(now: number): Promise<readonly RememberedUpload[]> {
    const database = await this.#database();
    const reading = database.transaction(['uploads', 'parts']);
    const [uploads, parts] = await Promise.all([
      answer<PartedUpload[]>(reading.objectStore('uploads').getAll()),
      answer<StoredPart[]>(reading.objectStore('parts').getAll()),
    ]);
    const isGood = ({ expiresAt }: PartedUpload) => expiresAt + SIGNED_AGAIN_WITHIN_MS > now;
    await Promise.all(uploads.filter((upload) => !isGood(upload)).map(({ id }) => this.forget(id)));
    return uploads.filter(isGood).map((upload) => ({
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

  async forget(upload: string): Promise<void> {
    const writing = (await this.#database()).transaction(['uploads', 'parts'], 'readwrite');
    writing.objectStore('uploads').delete(upload);
    // An array sorts behind every number: all parts of this upload.
    writing.objectStore('parts').delete(IDBKeyRange.bound([upload], [upload, []]));
    await end(writing);
  }

  async forgetAll(): Promise<void> {
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
  return answer(request);
}

function answer<T>(request: IDBRequest<T>): Promise<T> {
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
