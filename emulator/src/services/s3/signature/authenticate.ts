/**
 * Signature Version 4 as S3 verifies it: in the Authorization header, or in the query of a
 * presigned URL. The canonical request and the signing key come from @smithy/signature-v4; here are
 * the rules around them.
 * https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-authenticating-requests.html Left out:
 * SigV4A, SigV2, POST policies, `Date` in place of `x-amz-date`.
 */
import { createHash, createHmac, type Hash, type Hmac } from 'node:crypto';
import {
  createScope,
  getCanonicalHeaders,
  getSigningKey,
  SignatureV4Base,
} from '@smithy/signature-v4';
import type { Credentials, Iam, Principal } from '../../../iam/iam';
import { S3Error } from '../errors';
import type { S3Request } from '../request/request';
import { type SigningContext, sameSignature } from './chunk-signer';
import { type Claim, readClaim } from './claim';

export interface Caller {
  readonly principal: Principal;
  readonly presigned: boolean;
  /** Epoch milliseconds. */
  readonly signedAt: number;
  /** `x-amz-content-sha256` as it was signed; UNSIGNED-PAYLOAD for a presigned URL. */
  readonly payloadHash: string;
  /** For chunks that are signed one after the other. */
  readonly signing: SigningContext;
}

/** What @smithy/signature-v4 wants a hash to be. */
class NodeSha256 {
  readonly #hash: Hash | Hmac;

  constructor(secret?: unknown) {
    this.#hash = isSecret(secret) ? createHmac('sha256', secret) : createHash('sha256');
  }

  update(bytes: Uint8Array): void {
    this.#hash.update(bytes);
  }

  async digest(): Promise<Uint8Array> {
    return this.#hash.digest();
  }

  reset(): void {
    throw new Error('a hash is used once');
  }
}

function isSecret(secret: unknown): secret is string | Uint8Array {
  return typeof secret === 'string' || secret instanceof Uint8Array;
}

/**
 * Opens the library's canonicalisation: it can sign requests but has nothing that verifies them.
 */
class Canonicaliser extends SignatureV4Base {
  constructor(region: string) {
    // It only canonicalises here, so it is given nothing to sign with. S3's paths are not encoded a
    // second time.
    const credentials = { accessKeyId: '', secretAccessKey: '' };
    super({ credentials, region, service: 's3', sha256: NodeSha256, uriEscapePath: false });
  }

  canonicalRequest(request: S3Request, claim: Claim, payloadHash: string): string {
    const signed = new Set(claim.signedHeaders);
    const headers: Record<string, string> = Object.create(null);
    // A header that was signed and is not sent counts as empty, so that the signature cannot match.
    for (const name of signed) headers[name] = asUtf8(request.headers[name] ?? '');
    const { method, canonicalPath: path, query } = request;
    const parsed = { method, path, query: mutable(query), headers, protocol: '', hostname: '' };
    const canonical = getCanonicalHeaders(parsed, undefined, signed);
    return this.createCanonicalRequest(parsed, canonical, payloadHash);
  }

  textToSign(claim: Claim, canonicalRequest: string): Promise<string> {
    const scope = createScope(claim.day, claim.region, 's3');
    return this.createStringToSign(claim.date, scope, canonicalRequest, 'AWS4-HMAC-SHA256');
  }
}

function mutable(query: S3Request['query']): Record<string, string[]> {
  const copy: Record<string, string[]> = Object.create(null);
  for (const [name, values] of Object.entries(query)) copy[name] = [...values];
  return copy;
}

/** Node reads header bytes as Latin-1; clients sign text. */
function asUtf8(value: string): string {
  return Buffer.from(value, 'latin1').toString('utf8');
}

export type Authenticate = (request: S3Request) => Promise<Caller>;

/**
 * Answers a function that tells who signed a request, or throws the refusal that S3 would answer.
 */
export function createAuthenticator(iam: Iam, region: string): Authenticate {
  const canonicaliser = new Canonicaliser(region);

  return async (request) => {
    const claim = readClaim(request, region, Date.now());
    const credentials = iam.credentials(claim.accessKeyId);
    if (credentials === undefined) {
      throw new S3Error('InvalidAccessKeyId', { details: { AWSAccessKeyId: claim.accessKeyId } });
    }
    checkToken(credentials, claim);
    const canonicalRequest = canonicaliser.canonicalRequest(request, claim, claim.payloadHash);
    const text = await canonicaliser.textToSign(claim, canonicalRequest);
    const key = await getSigningKey(NodeSha256, credentials, claim.day, claim.region, 's3');
    const expected = createHmac('sha256', key).update(text).digest('hex');
    if (!sameSignature(expected, claim.signature)) {
      throw new S3Error('SignatureDoesNotMatch', {
        details: {
          AWSAccessKeyId: claim.accessKeyId,
          StringToSign: text,
          SignatureProvided: claim.signature,
          CanonicalRequest: canonicalRequest,
        },
      });
    }
    checkAllSigned(request, claim);
    const scope = createScope(claim.day, claim.region, 's3');
    return {
      principal: credentials.principal,
      presigned: claim.presigned,
      signedAt: claim.signedAt,
      payloadHash: claim.payloadHash,
      signing: { date: claim.date, scope, key, seed: expected },
    };
  };
}

function checkToken(credentials: Credentials, claim: Claim): void {
  const { sessionToken } = credentials;
  // A session's access key means nothing without its token.
  if (sessionToken !== undefined && claim.token === undefined) {
    throw new S3Error('InvalidAccessKeyId', { details: { AWSAccessKeyId: claim.accessKeyId } });
  }
  if (!sameSignature(sessionToken ?? '', claim.token ?? '')) throw new S3Error('InvalidToken');
}

/**
 * S3 refuses `x-amz-*` headers that the signer did not see. The payload's hash is exempt on a
 * presigned URL, where it has no effect: clients add it out of habit.
 */
function checkAllSigned(request: S3Request, claim: Claim): void {
  const signed = new Set(claim.signedHeaders);
  const unsigned = Object.keys(request.headers).filter(
    (name) =>
      name.startsWith('x-amz-') &&
      !signed.has(name) &&
      !(claim.presigned && name === 'x-amz-content-sha256'),
  );
  if (unsigned.length === 0 && signed.has('host')) return;
  throw new S3Error('AccessDenied', {
    message: 'There were headers present in the request which were not signed',
    details: { HeadersNotSigned: (signed.has('host') ? unsigned : ['host']).join(', ') },
  });
}

/**
 * The headers that count: on a presigned URL also the `x-amz-*` parameters of its query, into which
 * signers move such headers. Checksums are the exception: S3 heeds them as headers only.
 */
export function effectiveHeaders(request: S3Request, caller: Caller): S3Request['headers'] {
  if (!caller.presigned) return request.headers;
  const headers: Record<string, string> = Object.create(null);
  for (const [name, values] of Object.entries(request.query)) {
    const lower = name.toLowerCase();
    const counts = lower.startsWith('x-amz-') && !lower.startsWith('x-amz-checksum-');
    if (!counts || lower === 'x-amz-sdk-checksum-algorithm') continue;
    // As Node reads headers: a character for each byte.
    headers[lower] = Buffer.from(values.join(',')).toString('latin1');
  }
  return Object.assign(headers, request.headers);
}
