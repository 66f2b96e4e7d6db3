/**
 * Signatures of the chunks of a body. Each covers the signature of the chunk before it, the first
 * one the signature of the request's headers.
 * https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming.html and
 * sigv4-streaming-trailers.html
 */
import { createHash, createHmac } from 'node:crypto';

const EMPTY_SHA256 = createHash('sha256').digest('hex');

export interface ChunkSigner {
  /** Whether the trailers must carry `x-amz-trailer-signature`. */
  readonly trailerSigned: boolean;
  /** The signature of the next chunk, from the hex SHA-256 of its bytes. */
  signChunk(payloadHash: string): string;
  /** The signature of the trailers, each as `name:value\n`. */
  signTrailer(lines: string): string;
}

export interface SigningContext {
  /** `20261120T105000Z` */
  readonly date: string;
  readonly scope: string;
  readonly key: Uint8Array;
  /** The signature of the headers, hex. */
  readonly seed: string;
}

export function createChunkSigner(context: SigningContext, trailerSigned: boolean): ChunkSigner {
  let previous = context.seed;
  const sign = (algorithm: string, ...hashes: string[]): string => {
    const text = [algorithm, context.date, context.scope, previous, ...hashes].join('\n');
    previous = createHmac('sha256', context.key).update(text).digest('hex');
    return previous;
  };
  return {
    trailerSigned,
    signChunk: (payloadHash) => sign('AWS4-HMAC-SHA256-PAYLOAD', EMPTY_SHA256, payloadHash),
    signTrailer: (lines) =>
      sign('AWS4-HMAC-SHA256-TRAILER', createHash('sha256').update(lines).digest('hex')),
  };
}
