/** Receives a range of a version's bytes, through lost connections. */
import { linkedTo } from '../abort';
import { connectionLost, StowageError } from '../errors';
import { errorOf, type Fetch, type Http, parse } from '../http';
import { unquoted } from '../objects';
import { objectPath } from '../paths';
import { isRecord, type ObjectDescriptor } from '../resources';
import { type Random, retry } from '../retry';
import { fetchReceived, type NodeRequests, type Received } from './node-requests';

export interface DownloadDeps {
  /** Sends each request once: failures are repeated here. */
  readonly http: Http;
  /** Reaches S3. */
  readonly fetch: Fetch;
  /** Replaces `fetch` where that is permitted. */
  readonly node: NodeRequests | undefined;
  readonly random: Random;
}

/** A version of an object that is being downloaded. */
export interface Download {
  readonly object: ObjectDescriptor;
  readonly onProgress: (received: number) => void;
  readonly signal: AbortSignal;
}

/** The bytes [from, to). */
export interface BytesWanted {
  readonly from: number;
  readonly to: number;
}

/** Attempts in a row that bring no byte. */
const ATTEMPTS = 8;

/** Without a response or a byte for this long the connection counts as lost. */
const STALLED_MS = 60_000;

/** Largest object that the service sends itself. Larger ones come from S3. */
const INLINE_BYTES = 4 * 1024 ** 2;

/**
 * Passes the bytes [from, to) of a version to `take`, in order. After a lost connection it
 * continues at the next byte.
 */
export async function receiveRange(
  deps: DownloadDeps,
  { object, signal }: Download,
  { from, to }: BytesWanted,
  take: (bytes: Uint8Array, at: number) => Promise<void> | void,
): Promise<void> {
  let at = from;
  while (at < to) {
    const before = at;
    await retry(
      async () => {
        for await (const bytes of chunksOf(deps, object, { from: at, to }, signal)) {
          if (at + bytes.length > to) throw tooLong(object);
          await take(bytes, at);
          at += bytes.length;
        }
        if (at < to) throw new StowageError('network', 'the response ended early');
      },
      {
        ...{ signal, random: deps.random, maxAttempts: ATTEMPTS },
        // After progress the attempts are counted from the start.
        isTemporary: (error) => at === before && error instanceof StowageError && error.isTemporary,
      },
    ).catch((error: unknown) => {
      signal.throwIfAborted();
      const isTemporary = error instanceof StowageError && error.isTemporary;
      if (at === before || !isTemporary) throw error;
    });
  }
}

/** Iterates over the chunks of a response. */
async function* chunksOf(
  deps: DownloadDeps,
  object: ObjectDescriptor,
  wanted: BytesWanted,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const request = linkedTo(signal);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const wait = async <T>(work: Promise<T>): Promise<T> => {
    timer = setTimeout(() => request.abort(), STALLED_MS);
    try {
      return await work;
    } catch (error) {
      signal.throwIfAborted();
      throw error instanceof StowageError ? error : connectionLost(error);
    } finally {
      clearTimeout(timer);
    }
  };
  try {
    const received = await wait(openRange(deps, object, wanted, request.signal));
    try {
      requireRange(received, object, wanted);
      for (;;) {
        const bytes = await wait(received.read());
        if (!bytes) return;
        yield bytes;
      }
    } finally {
      await received.cancel();
    }
  } finally {
    request.abort();
    request.detach();
  }
}

/**
 * Requests a range. A large object comes from S3 by a signed URL, not by the redirect of the
 * service: after a redirect, a browser hides the origin of a foreign page from S3.
 */
async function openRange(
  { http, fetch, node }: DownloadDeps,
  object: ObjectDescriptor,
  wanted: BytesWanted,
  signal: AbortSignal,
): Promise<Received> {
  const { bucket, key, version, etag, size } = object;
  const path = objectPath(bucket, key);
  const range = isWhole(object, wanted) ? undefined : `bytes=${wanted.from}-${wanted.to - 1}`;
  // The version selects the content; the etag detects a bucket that was created again.
  const condition = { 'if-match': `"${etag}"` };
  if (size <= INLINE_BYTES) {
    const query = { version };
    const headers = { ...condition, range };
    if (!node) return fetchReceived(await http.request({ path, query, headers, signal }));
    const all = { ...http.authorization, ...headers };
    const received = await get(node, http.url(path, query).href, all, signal);
    if (isOk(received)) return received;
    throw errorOf(received, parse(await received.text()));
  }
  const query = { version, redirect: 'false' };
  const signed = await http.json({ path, query, headers: condition, signal });
  if (!isRecord(signed) || typeof signed.url !== 'string') {
    throw new StowageError('invalid_answer', 'the response of the service is not a signed URL');
  }
  const { url } = signed;
  const received = node
    ? await get(node, url, { range }, signal)
    : fetchReceived(await fetch(url, { headers: range === undefined ? {} : { range }, signal }));
  if (isOk(received)) return received;
  await received.cancel();
  // S3 may have refused a URL that expired on the way; the next attempt has another one.
  throw new StowageError('unavailable', `S3 responded with status ${received.status}`);
}

function get(
  node: NodeRequests,
  url: string,
  headers: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal,
): Promise<Received> {
  const { request, response } = node.start('GET', url, headers, signal);
  request.end();
  return response;
}

function isOk({ status }: Received): boolean {
  return status >= 200 && status <= 299;
}

function isWhole({ size }: ObjectDescriptor, { from, to }: BytesWanted): boolean {
  return from === 0 && to === size;
}

/** Throws StowageError when the response is not the requested range. */
function requireRange(
  { status, headers, isRaw }: Received,
  object: ObjectDescriptor,
  wanted: BytesWanted,
): void {
  if (!isRaw) {
    throw new StowageError(
      'invalid_request',
      `${object.key} has a Content-Encoding, which fetch decodes: download it with get()`,
    );
  }
  const etag = headers.get('etag');
  const isOther = etag !== null && unquoted(etag) !== object.etag;
  if (status !== (isWhole(object, wanted) ? 200 : 206) || isOther) {
    throw new StowageError('invalid_answer', 'the response is not the requested range');
  }
}

function tooLong({ key }: ObjectDescriptor): StowageError {
  return new StowageError('invalid_request', `the response is longer than ${key}`);
}
