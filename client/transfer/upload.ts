/** Uploads content of any size: in one request, or in parts that go straight to S3. */
import { StowageError } from '../errors';
import { type Fetch, type Http, REQUEST_MS } from '../http';
import { describeObject, unquoted } from '../objects';
import type { ContentOptions, PutOptions } from '../options';
import { objectPath, requireWhole } from '../paths';
import type { ObjectDescriptor } from '../resources';
import type { Random } from '../retry';
import { savedUpload, uploadParts } from './multipart';
import { nodeRequests } from './node-requests';
import type { ResumeStore } from './saved-upload';
import { openToSend } from './send-file';
import { partSender } from './send-part';
import type { UploadTarget } from './signed-parts';
import { type OpenedSource, openSource, type UploadSource } from './source';
import { type Committed, committedUpload, waitForCommit } from './upload-state';

/** Options of an upload of any size. */
export interface UploadOptions extends ContentOptions {
  /** An etag: replace only the version that has it. Checked before and after the transfer. */
  readonly ifMatch?: string | undefined;
  /** Only create the object, do not replace one. Checked before and after the transfer. */
  readonly ifNoneMatch?: '*' | undefined;
  /** Called with the number of bytes that were sent, and the size of the content. */
  readonly onProgress?:
    | ((progress: { readonly sent: number; readonly total: number }) => void)
    | undefined;
  /**
   * Where the upload is saved between its parts: a repeated call with the same file, key and
   * options sends only the missing parts. The upload starts over for content that the client cannot
   * recognize (bytes, a stream, a Blob that is not a File), and up to 4 MiB.
   */
  readonly resume?: ResumeStore | undefined;
  /** Bytes of a part, 5 MiB or more. @default the service decides by the size */
  readonly partSize?: number | undefined;
  /** Parts that are sent concurrently, 1 to 16. @default 4 */
  readonly concurrency?: number | undefined;
  /**
   * Signs the URLs again before S3 assembles the parts. For programs that replace their key during
   * an upload: an upload that a revoked key has signed is discarded.
   *
   * @default false
   */
  readonly signsAgain?: boolean | undefined;
  /** Aborts the upload, which throws the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
}

/** The object that an upload has become. The other fields are absent when the key may not read. */
export type UploadedObject = Pick<
  ObjectDescriptor,
  'bucket' | 'key' | 'size' | 'version' | 'cursor'
> &
  Partial<ObjectDescriptor>;

export interface UploadDeps {
  readonly http: Http;
  /** Reaches S3. */
  readonly fetch: Fetch;
  /** Whether S3 may be reached without `fetch`, where that is better. */
  readonly mayUseNode: boolean;
  readonly random: Random;
  readonly put: (
    bucket: string,
    key: string,
    body: Blob,
    options: PutOptions,
  ) => Promise<ObjectDescriptor>;
}

/** Largest content that the service accepts in one request. */
const INLINE_BYTES = 4 * 1024 ** 2;

export async function upload(
  deps: UploadDeps,
  target: UploadTarget,
  content: UploadSource,
  options: UploadOptions,
): Promise<UploadedObject> {
  const { concurrency = 4, signal = new AbortController().signal } = options;
  requireWhole('concurrency', concurrency, 1, 16);
  signal.throwIfAborted();
  const source = await openSource(content, signal);
  try {
    if (source.blob.size > INLINE_BYTES) {
      return await uploadLarge(deps, target, source, { ...options, concurrency, signal });
    }
    const { size } = source.blob;
    const contentType = contentTypeOf(source, options);
    const { bucket, key } = target;
    const object = await deps.put(bucket, key, source.blob, { ...options, contentType });
    options.onProgress?.({ sent: size, total: size });
    await options.resume?.clear();
    return object;
  } finally {
    await source.release();
  }
}

async function uploadLarge(
  deps: UploadDeps,
  target: UploadTarget,
  source: OpenedSource,
  options: UploadOptions & { readonly concurrency: number; readonly signal: AbortSignal },
): Promise<UploadedObject> {
  const { http, fetch, random } = deps;
  const { signal, resume, partSize, concurrency, signsAgain, onProgress } = options;
  const { size } = source.blob;
  const fields = fieldsOf(source, options);
  const saved = resume && (await savedUpload({ target, source, fields, partSize }, resume));
  const committedBefore = async () => saved && committedUpload(http, saved.uploadId, signal);
  let earlier = await committedBefore();
  if (!earlier) {
    try {
      await requireConditions(http, target, options);
    } catch (error) {
      // The saved upload may have been committed since the first request, and have made this
      // object.
      earlier = await committedBefore();
      if (!earlier) throw error;
    }
  }
  if (earlier) {
    const committed = { ...earlier, size };
    onProgress?.({ sent: size, total: size });
    return thenForgotten(resume, () => describe(http, committed, signal));
  }
  const node = source.path !== undefined && deps.mayUseNode ? await nodeRequests() : undefined;
  const file = node && source.path !== undefined ? await openToSend(node, source.path) : undefined;
  const send = file ? file.send : partSender(fetch, source.blob);
  const { uploadId, isCompleted } = await uploadParts(
    { http, send, fetch, random },
    {
      ...{ target, source, fields, partSize, concurrency, resume, saved, signsAgain, signal },
      onProgress: (sent) => onProgress?.({ sent, total: size }),
    },
  ).finally(() => file?.close());
  return thenForgotten(resume, async () => {
    const committed = await waitForCommit(http, { uploadId, isCompleted }, signal);
    return describe(http, { ...committed, size }, signal);
  });
}

/**
 * Forgets the saved upload when the work is done or has failed for good. Until then it is the proof
 * that the content need not be sent again.
 */
async function thenForgotten<T>(
  resume: ResumeStore | undefined,
  work: () => Promise<T>,
): Promise<T> {
  try {
    const result = await work();
    await resume?.clear();
    return result;
  } catch (error) {
    if (error instanceof StowageError && !error.isTemporary) await resume?.clear();
    throw error;
  }
}

function contentTypeOf({ blob }: OpenedSource, { contentType }: UploadOptions): string {
  return contentType ?? (blob.type || 'application/octet-stream');
}

function fieldsOf(source: OpenedSource, options: UploadOptions) {
  return {
    content_type: contentTypeOf(source, options),
    metadata: options.metadata,
    cache_control: options.cacheControl,
    content_disposition: options.contentDisposition,
    content_encoding: options.contentEncoding,
    content_language: options.contentLanguage,
    object_expires_at: options.expiresAt,
    if_match: options.ifMatch === undefined ? undefined : unquoted(options.ifMatch),
    if_none_match: options.ifNoneMatch,
  };
}

/**
 * Checks the conditions before the transfer. The service checks them only when it has the bytes.
 */
async function requireConditions(
  http: Http,
  { bucket, key }: UploadTarget,
  { ifMatch, ifNoneMatch, signal }: UploadOptions,
): Promise<void> {
  if (ifMatch === undefined && ifNoneMatch === undefined) return;
  const path = objectPath(bucket, key);
  const response = await http
    .request({ method: 'HEAD', path, signal, timeoutMs: REQUEST_MS })
    .catch((error: unknown) => {
      // For a key that may not read, the commit checks them.
      if (error instanceof StowageError && error.code === 'forbidden') return 'unknown' as const;
      if (error instanceof StowageError && error.code === 'not_found') return undefined;
      throw error;
    });
  if (response === 'unknown') return;
  const etag = response && unquoted(response.headers.get('etag') ?? '');
  const holds =
    (ifNoneMatch === undefined || etag === undefined) &&
    (ifMatch === undefined || unquoted(ifMatch) === etag);
  if (holds) return;
  const found = etag === undefined ? 'there is no such object' : `its etag is ${etag}`;
  const message = `the condition on ${key} does not hold: ${found}`;
  throw new StowageError('precondition_failed', message, { details: { etag } });
}

async function describe(
  http: Http,
  committed: Committed & { readonly size: number },
  signal: AbortSignal,
): Promise<UploadedObject> {
  try {
    return await describeObject(http, committed, { version: committed.version, signal });
  } catch (error) {
    signal.throwIfAborted();
    const isAbsent =
      error instanceof StowageError && ['forbidden', 'not_found'].includes(error.code);
    if (isAbsent) return committed;
    throw error;
  }
}
