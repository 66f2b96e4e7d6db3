/** An upload in parts, from the first signed URL until S3 has put the parts together. */
import { linkedTo } from '../abort';
import { StowageError } from '../errors';
import type { Fetch, Http } from '../http';
import { type Random, retry } from '../retry';
import { completionOf, rangeOfPart } from './parts';
import type { ResumeStore, SavedUpload } from './saved-upload';
import { lost, type SendPart, storeError } from './send-part';
import { SignedParts, type SignedUpload, signUpload, type UploadTarget } from './signed-parts';
import type { OpenedSource } from './source';

export interface MultipartDeps {
  readonly http: Http;
  readonly send: SendPart;
  readonly fetch: Fetch;
  readonly random: Random;
}

export interface MultipartUpload {
  readonly target: UploadTarget;
  readonly source: OpenedSource;
  /** Content headers, metadata and conditions, as the request for a signed URL names them. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly partSize?: number;
  readonly concurrency: number;
  readonly resume?: ResumeStore;
  readonly onProgress: (sent: number) => void;
  readonly signal: AbortSignal;
}

/** Attempts to send one part. With the backoff between them they last some minutes. */
const ATTEMPTS = 8;

/**
 * Sends the parts that S3 does not have, and completes the upload. Returns its id. Throws
 * StowageError or the reason of the signal; a saved upload can then be continued, any other one is
 * aborted, so that S3 does not store its parts.
 */
export async function uploadParts(deps: MultipartDeps, upload: MultipartUpload): Promise<string> {
  const { target, source, resume, signal } = upload;
  const saved = resume && (await savedUpload(upload, resume));
  const begun = (saved && (await signedAgain(deps, upload, saved))) ?? (await begin(deps, upload));
  const { signed } = begun;
  const { upload_id: uploadId } = signed;
  const progress = new Progress(upload, resume, {
    ...{ ...target, uploadId, size: source.blob.size, partSize: signed.part_size },
    ...(source.modifiedAt !== undefined && { modifiedAt: source.modifiedAt }),
    etags: begun.etags,
  });
  const again = { multipart: { upload_id: uploadId } };
  const urls = new SignedParts(signed, () => signUpload(deps.http, target, again, signal));
  try {
    await progress.save();
    await sendParts(deps, { upload, signed, urls, progress });
    // The key that signed last has to be valid when the upload is committed.
    if (saved !== undefined) await urls.signAgain().catch(() => undefined);
    await complete(deps, urls, progress.etags(signed.parts.length), signal);
    return uploadId;
  } catch (error) {
    const isEnded = error instanceof StowageError && !error.isTemporary;
    if (!resume || isEnded) {
      await resume?.clear();
      await abort(deps.fetch, signed);
    }
    throw error;
  }
}

/** Returns what was saved of the same content for the same key. Anything else is forgotten. */
async function savedUpload(
  { target, source }: MultipartUpload,
  resume: ResumeStore,
): Promise<SavedUpload | undefined> {
  const saved = await resume.load();
  const isSame =
    saved?.bucket === target.bucket &&
    saved.key === target.key &&
    saved.size === source.blob.size &&
    saved.modifiedAt === source.modifiedAt;
  return isSame ? saved : undefined;
}

interface Begun {
  readonly signed: SignedUpload;
  readonly etags: SavedUpload['etags'];
}

/** Returns undefined when the service or S3 has ended the upload meanwhile. */
async function signedAgain(
  { http }: MultipartDeps,
  { target, signal }: MultipartUpload,
  { uploadId, etags, partSize }: SavedUpload,
): Promise<Begun | undefined> {
  try {
    const fields = { multipart: { upload_id: uploadId } };
    const signed = await signUpload(http, target, fields, signal);
    return signed.part_size === partSize ? { signed, etags } : undefined;
  } catch (error) {
    if (error instanceof StowageError && error.code === 'not_found') return undefined;
    throw error;
  }
}

async function begin(
  { http }: MultipartDeps,
  { target, source, fields, partSize, signal }: MultipartUpload,
): Promise<Begun> {
  const multipart = { size: source.blob.size, part_size: partSize };
  const signed = await signUpload(http, target, { ...fields, multipart }, signal);
  return { signed, etags: {} };
}

/** Which parts S3 has. */
class Progress {
  readonly #upload: MultipartUpload;
  readonly #resume: ResumeStore | undefined;
  readonly #etags: Map<number, string>;
  readonly #sending = new Map<number, number>();
  #saved: SavedUpload;
  #saving: Promise<void> = Promise.resolve();

  constructor(upload: MultipartUpload, resume: ResumeStore | undefined, saved: SavedUpload) {
    this.#upload = upload;
    this.#resume = resume;
    this.#saved = saved;
    this.#etags = new Map(
      Object.entries(saved.etags).map(([number, etag]) => [Number(number), etag]),
    );
  }

  has(number: number): boolean {
    return this.#etags.has(number);
  }

  etags(count: number): readonly string[] {
    return Array.from({ length: count }, (_, index) => this.#etags.get(index + 1) ?? '');
  }

  sending(number: number, bytes: number): void {
    this.#sending.set(number, bytes);
    this.#report();
  }

  failed(number: number): void {
    this.#sending.delete(number);
    this.#report();
  }

  /** Saves the part before the next one begins. */
  async sent(number: number, etag: string): Promise<void> {
    this.#sending.delete(number);
    this.#etags.set(number, etag);
    this.#report();
    await this.save();
  }

  /** One after the other: a later state never precedes an earlier one. */
  save(): Promise<void> {
    this.#saved = { ...this.#saved, etags: Object.fromEntries(this.#etags) };
    this.#saving = this.#saving.then(() => this.#resume?.save(this.#saved));
    return this.#saving;
  }

  #report(): void {
    const stored = [...this.#etags.keys()].map((number) => {
      const { from, to } = rangeOfPart(this.#saved, number);
      return to - from;
    });
    const sum = [...stored, ...this.#sending.values()].reduce((total, bytes) => total + bytes, 0);
    this.#upload.onProgress(sum);
  }
}

interface Sending {
  readonly upload: MultipartUpload;
  readonly signed: SignedUpload;
  readonly urls: SignedParts;
  readonly progress: Progress;
}

async function sendParts(
  { send, random }: MultipartDeps,
  { upload, signed, urls, progress }: Sending,
): Promise<void> {
  const { blob } = upload.source;
  const partSize = signed.part_size;
  const missing = signed.parts.map((_, index) => index + 1).filter((each) => !progress.has(each));
  const stop = linkedTo(upload.signal);
  const { signal } = stop;
  const sendOne = async (number: number) => {
    const { from, to } = rangeOfPart({ partSize, size: blob.size }, number);
    const part = blob.slice(from, to);
    const onProgress = (bytes: number) => progress.sending(number, bytes);
    const attempt = () =>
      urls.use(({ parts }) => send(parts[number - 1]?.url ?? '', part, { onProgress, signal }));
    try {
      const etag = await retry(attempt, { signal, random, maxAttempts: ATTEMPTS });
      await progress.sent(number, etag);
    } catch (error) {
      progress.failed(number);
      throw error;
    }
  };
  const worker = async () => {
    for (let next = missing.shift(); next !== undefined; next = missing.shift()) {
      signal.throwIfAborted();
      await sendOne(next);
    }
  };
  try {
    const workers = Array.from({ length: upload.concurrency }, () => worker());
    await Promise.all(workers).catch(async (error: unknown) => {
      stop.abort(error);
      // What the others have sent until now is saved before the upload ends.
      await Promise.allSettled(workers);
      throw error;
    });
  } finally {
    stop.detach();
  }
}

/** Has S3 put the parts together. An earlier attempt whose response was lost counts, too. */
async function complete(
  { fetch, random }: MultipartDeps,
  urls: SignedParts,
  etags: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const body = completionOf(etags);
  const attempt = async ({ complete: { url, method, headers } }: SignedUpload) => {
    const response = await fetch(url, { method, headers, body, signal }).catch(refuse(signal));
    const text = await response.text().catch(refuse(signal));
    // S3 may send an error in the body of a response with status 200.
    const code = /<Code>([^<]+)<\/Code>/.exec(text)?.[1];
    if (response.ok && code === undefined) return;
    if (code === 'NoSuchUpload' || response.status === 412) return;
    throw storeError(response.ok ? 500 : response.status, text);
  };
  await retry(() => urls.use(attempt), { signal, random, maxAttempts: ATTEMPTS });
}

function refuse(signal: AbortSignal) {
  return (error: unknown): never => {
    signal.throwIfAborted();
    throw lost(error);
  };
}

/** S3 removes the parts by a lifecycle rule when this fails. */
async function abort(fetch: Fetch, { abort: { url, method, headers } }: SignedUpload) {
  await fetch(url, { method, headers }).catch(() => undefined);
}
