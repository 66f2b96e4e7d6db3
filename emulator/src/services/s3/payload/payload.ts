/**
 * Receives the body of a request: removes the framing that `x-amz-content-sha256` names, then
 * verifies length, hash and checksums.
 * https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html (the payload
 * options)
 */
import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { S3Error } from '../protocol/errors';
import type { S3Request } from '../protocol/request';
import type { Caller } from '../signature/authenticate';
import { createChunkSigner } from '../signature/chunk-signer';
import { AwsChunkedDecoder } from './aws-chunked';
import {
  algorithmOfHeader,
  type ChecksumAlgorithm,
  checksumHeader,
  isChecksumAlgorithm,
  parseChecksum,
  startChecksum,
} from './checksums';
import type { RunningChecksum } from './crc';

/** Largest body of one request, in bytes. */
export const MAX_UPLOAD_BYTES = 5 * 1024 ** 3;

const STREAMING = {
  'STREAMING-UNSIGNED-PAYLOAD-TRAILER': { signed: false, trailer: true },
  'STREAMING-AWS4-HMAC-SHA256-PAYLOAD': { signed: true, trailer: false },
  'STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER': { signed: true, trailer: true },
} as const;
type StreamingKind = keyof typeof STREAMING;

export interface Payload {
  /** Bytes of content, without framing. */
  readonly size: number;
  readonly md5: Buffer;
  /** Present when the client sent a checksum, in a header or trailer, or the caller wants one. */
  readonly checksum?: {
    readonly algorithm: ChecksumAlgorithm;
    /** Base64. */
    readonly value: string;
    /** Whether the client sent it. */
    readonly sent: boolean;
  };
}

export interface Incoming {
  readonly request: S3Request;
  readonly caller: Caller;
  readonly response: ServerResponse;
}

export interface PayloadLimits {
  readonly maxBytes: number;
  /** False where `x-amz-checksum-*` headers are not about the body (CompleteMultipartUpload). */
  readonly checksums: boolean;
  /** Computed when the client sends no checksum. */
  readonly algorithm?: ChecksumAlgorithm;
}

/** What the headers say about the body. */
interface Announcement {
  readonly size: number;
  readonly decoder?: AwsChunkedDecoder;
  readonly sha256?: string;
  readonly md5?: Buffer;
  readonly algorithm?: ChecksumAlgorithm;
  /** Whether the client sends the checksum. */
  readonly checksumSent: boolean;
  /** Base64; undefined when the client sends it as a trailer, or sends none. */
  readonly checksum?: string;
  /** Names of the trailers that the body must have. */
  readonly trailers: readonly string[];
}

interface Hashes {
  readonly md5: ReturnType<typeof createHash>;
  readonly sha256: ReturnType<typeof createHash> | undefined;
  readonly checksum: RunningChecksum | undefined;
}

/**
 * Passes the content to `write`, piece by piece, and returns once all of it is verified. Throws
 * S3Error when the body is not what the headers say. A client that waits with `Expect:
 * 100-continue` is sent 100 (Continue), so callers check everything else about the request before.
 */
export async function receivePayload(
  { request, caller, response }: Incoming,
  write: (bytes: Buffer) => void | Promise<void>,
  limits: PayloadLimits,
): Promise<Payload> {
  const announced = readAnnouncement(request, caller, limits);
  const hashes: Hashes = {
    md5: createHash('md5'),
    sha256: announced.sha256 === undefined ? undefined : createHash('sha256'),
    checksum: announced.algorithm === undefined ? undefined : startChecksum(announced.algorithm),
  };
  if (request.headers.expect?.toLowerCase() === '100-continue') response.writeContinue();

  let size = 0;
  for await (const bytes of readContent(request, announced.decoder)) {
    size += bytes.length;
    if (size > announced.size) throw new S3Error('IncompleteBody');
    hashes.md5.update(bytes);
    hashes.sha256?.update(bytes);
    hashes.checksum?.update(bytes);
    const written = write(bytes);
    if (written !== undefined) await written;
  }
  if (size !== announced.size) throw new S3Error('IncompleteBody');
  return verify(announced, hashes, size);
}

async function* readContent(
  request: S3Request,
  decoder: AwsChunkedDecoder | undefined,
): AsyncGenerator<Buffer> {
  try {
    // Not destroyed when the loop ends early: its socket still carries the error response.
    for await (const piece of request.message.iterator({ destroyOnReturn: false })) {
      if (decoder === undefined) yield piece;
      else yield* decoder.decode(piece);
    }
  } catch (cause) {
    if (cause instanceof S3Error) throw cause;
    // The client disconnected before the end of the body.
    throw new S3Error('IncompleteBody', { cause });
  }
  decoder?.finish();
}

function readAnnouncement(request: S3Request, caller: Caller, limits: PayloadLimits): Announcement {
  const { headers } = request;
  const kind = caller.payloadHash;
  const streaming = isStreaming(kind) ? STREAMING[kind] : undefined;
  if (streaming === undefined && kind !== 'UNSIGNED-PAYLOAD' && !/^[0-9a-f]{64}$/.test(kind)) {
    throw new S3Error('InvalidArgument', {
      message:
        'x-amz-content-sha256 must be UNSIGNED-PAYLOAD, STREAMING-UNSIGNED-PAYLOAD-TRAILER, STREAMING-AWS4-HMAC-SHA256-PAYLOAD, STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER or a valid sha256 value.',
    });
  }
  const length =
    headers[streaming === undefined ? 'content-length' : 'x-amz-decoded-content-length'];
  if (length === undefined || !/^\d{1,15}$/.test(length)) throw new S3Error('MissingContentLength');
  if (Number(length) > limits.maxBytes) {
    throw new S3Error('EntityTooLarge', {
      details: { ProposedSize: length, MaxSizeAllowed: String(limits.maxBytes) },
    });
  }
  const trailers = streaming?.trailer === true ? splitNames(headers['x-amz-trailer']) : [];
  return {
    size: Number(length),
    decoder:
      streaming &&
      new AwsChunkedDecoder(
        streaming.signed ? createChunkSigner(caller.signing, streaming.trailer) : undefined,
      ),
    sha256: streaming === undefined && kind !== 'UNSIGNED-PAYLOAD' ? kind : undefined,
    md5: readMd5(headers['content-md5']),
    trailers,
    ...readChecksum(limits.checksums ? headers : {}, limits.checksums ? trailers : [], limits),
  };
}

function isStreaming(kind: string): kind is StreamingKind {
  return Object.hasOwn(STREAMING, kind);
}

function splitNames(list: string | undefined): readonly string[] {
  return (list ?? '')
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter(Boolean);
}

function readMd5(header: string | undefined): Buffer | undefined {
  if (header === undefined) return undefined;
  const bytes = Buffer.from(header, 'base64');
  if (bytes.length !== 16 || bytes.toString('base64') !== header)
    throw new S3Error('InvalidDigest');
  return bytes;
}

/** The checksum that the client sends in a header or trailer; at most one is allowed. */
function readChecksum(
  headers: S3Request['headers'],
  trailers: readonly string[],
  limits: PayloadLimits,
): Pick<Announcement, 'algorithm' | 'checksumSent' | 'checksum'> {
  const names = [...Object.keys(headers), ...trailers].filter((name) => algorithmOfHeader(name));
  const [name] = names;
  if (names.length > 1) {
    throw new S3Error('InvalidRequest', {
      message:
        'Expecting a single x-amz-checksum- header. Multiple checksum Types are not allowed.',
    });
  }
  const algorithm = name === undefined ? undefined : algorithmOfHeader(name);
  const declared = headers['x-amz-sdk-checksum-algorithm']?.toUpperCase();
  if (declared !== undefined && (declared !== algorithm || !isChecksumAlgorithm(declared))) {
    throw new S3Error('InvalidRequest', {
      message:
        'x-amz-sdk-checksum-algorithm specified, but no corresponding x-amz-checksum-* or x-amz-trailer headers were found.',
    });
  }
  if (name === undefined || algorithm === undefined) {
    return { algorithm: limits.algorithm, checksumSent: false };
  }
  const checksum = headers[name];
  if (checksum !== undefined) parseChecksum(algorithm, checksum);
  return { algorithm, checksumSent: true, checksum };
}

function verify(announced: Announcement, hashes: Hashes, size: number): Payload {
  const sha256 = hashes.sha256?.digest('hex');
  if (sha256 !== announced.sha256) {
    throw new S3Error('XAmzContentSHA256Mismatch', {
      details: {
        ClientComputedContentSHA256: announced.sha256 ?? '',
        S3ComputedContentSHA256: sha256 ?? '',
      },
    });
  }
  const md5 = hashes.md5.digest();
  if (announced.md5 !== undefined && !announced.md5.equals(md5)) throw new S3Error('BadDigest');
  const trailers = announced.decoder?.trailers;
  if (announced.trailers.some((name) => trailers?.get(name) === undefined)) {
    throw new S3Error('MalformedTrailerError');
  }
  const { algorithm } = announced;
  if (algorithm === undefined || hashes.checksum === undefined) return { size, md5 };
  const value = hashes.checksum.digest().toString('base64');
  const sent = announced.checksumSent;
  const expected = announced.checksum ?? trailers?.get(checksumHeader(algorithm));
  if (sent && value !== expected) {
    throw new S3Error('BadDigest', {
      message: `The ${algorithm} you specified did not match the calculated checksum.`,
    });
  }
  return { size, md5, checksum: { algorithm, value, sent } };
}
