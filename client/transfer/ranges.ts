/** Receives a range of a version's bytes, through lost connections. */
import { linkedTo } from '../abort';
import { StowageError } from '../errors';
import type { Http } from '../http';
import { readObject } from '../objects';
import type { ObjectDescriptor } from '../resources';
import { type Random, retry } from '../retry';

export interface DownloadDeps {
  readonly http: Http;
  readonly random: Random;
}

/** A version of an object that is being downloaded. */
export interface Download {
  readonly object: ObjectDescriptor;
  readonly onProgress: (received: number) => void;
  readonly signal: AbortSignal;
}

/** Attempts without a byte between them. */
const ATTEMPTS = 8;

/**
 * Passes the bytes [from, to) of a version to `take`, in order. A connection that is lost is opened
 * again where it was lost.
 */
export async function receiveRange(
  { http, random }: DownloadDeps,
  { object, signal }: Download,
  { from, to }: { readonly from: number; readonly to: number },
  take: (bytes: Uint8Array, at: number) => Promise<void> | void,
): Promise<void> {
  let at = from;
  while (at < to) {
    const before = at;
    await retry(
      async () => {
        const request = linkedTo(signal);
        try {
          const body = await openRange(http, object, { from: at, to }, request.signal);
          for await (const bytes of chunksOf(body, signal)) {
            if (at + bytes.length > to) throw tooLong(object);
            await take(bytes, at);
            at += bytes.length;
          }
        } finally {
          request.detach();
        }
        if (at < to) throw new StowageError('network', 'the response ended early');
      },
      {
        signal,
        random,
        maxAttempts: ATTEMPTS,
        // With progress, the next failure is again the first one.
        isTemporary: (error) => at === before && error instanceof StowageError && error.isTemporary,
      },
    ).catch((error: unknown) => {
      signal.throwIfAborted();
      const isTemporary = error instanceof StowageError && error.isTemporary;
      if (at === before || !isTemporary) throw error;
    });
  }
}

async function openRange(
  http: Http,
  object: ObjectDescriptor,
  { from, to }: { readonly from: number; readonly to: number },
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array>> {
  const { key, version, etag, size } = object;
  const isWhole = from === 0 && to === size;
  // The version names the content, and the etag the bucket's incarnation.
  const response = await readObject(http, 'GET', object, {
    ...{ version, ifMatch: etag, signal },
    ...(!isWhole && { range: { from, to: to - 1 } }),
  });
  if (response.headers.get('content-encoding') !== null) {
    await response.body?.cancel();
    throw new StowageError(
      'invalid_request',
      `${key} has a Content-Encoding, which fetch decodes: download it with get()`,
    );
  }
  if (response.status !== (isWhole ? 200 : 206) || response.body === null) {
    await response.body?.cancel();
    throw new StowageError('invalid_answer', 'the response is not the range that was asked for');
  }
  return response.body;
}

/** The chunks of a body; a failure is a lost connection. Not every browser can iterate a stream. */
async function* chunksOf(
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((cause: unknown) => {
        signal.throwIfAborted();
        throw new StowageError('network', 'the connection was lost', { cause });
      });
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function tooLong({ key }: ObjectDescriptor): StowageError {
  return new StowageError('invalid_request', `the response is longer than ${key}`);
}
