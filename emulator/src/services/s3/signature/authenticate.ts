/**
 * Signature Version 4 as S3 verifies it: in the Authorization header, or in the query of a
 * presigned URL. @smithy/signature-v4 computes the canonical request and the signing key; this file
 * has S3's rules around them.
 * https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-authenticating-requests.html
 * Not emulated: SigV4A, SigV2, POST policies, `Date` in place of `x-amz-date`.
 */
import { createHmac } from 'node:crypto';
import {
  createScope,
  getCanonicalHeaders,
  getSigningKey,
  SignatureV4Base,
} from '@smithy/signature-v4';
import type { Iam, KnownCredentials, Principal } from '../../../iam/iam';
import { equalInConstantTime, NodeSha256 } from '../../../iam/sigv4';
import { S3Error } from '../errors';
import type { S3Request } from '../request/request';
import type { SigningContext } from './chunk-signer';
import { type Claim, readClaim } from './claim';

export interface Caller {
  readonly principal: Principal;
  readonly presigned: boolean;
  /** Epoch milliseconds. */
  readonly signedAt: number;
  /** `x-amz-content-sha256` as it was signed; UNSIGNED-PAYLOAD for a presigned URL. */
  readonly payloadHash: string;
  /** For bodies whose chunks are signed. */
  readonly signing: SigningContext;
}

/**
 * Makes the library's canonicalisation accessible: the library signs requests but does not verify
 * them.
 */
class Canonicaliser extends SignatureV4Base {
  constructor(region: string) {
    // No credentials, because this class only canonicalises. S3 does not encode paths a second
    // time.
    const credentials = { accessKeyId: '', secretAccessKey: '' };
    super({ credentials, region, service: 's3', sha256: NodeSha256, uriEscapePath: false });
  }

  canonicalRequest(request: S3Request, claim: Claim, payloadHash: string): string {
    const signed = new Set(claim.signedHeaders);
    const headers: Record<string, string> = Object.create(null);
    // A header that was signed but not sent counts as empty, so that the signature cannot match.
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

/** Node decodes header bytes as Latin-1; clients sign them as UTF-8. */
function asUtf8(value: string): string {
  return Buffer.from(value, 'latin1').toString('utf8');
}

export type Authenticate = (request: S3Request) => Promise<Caller>;

/**
 * Returns a function that returns the signer of a request, or throws the S3Error with which S3
 * refuses it.
 */
export function createAuthenticator(iam: Iam, region: string): Authenticate {
  const canonicaliser = new Canonicaliser(region);

  return async (request) => {
    const claim = readClaim(request, region, Date.now());
    const credentials = iam.credentials(claim.accessKeyId, claim.token);
    if (credentials === undefined) {
      throw new S3Error('InvalidAccessKeyId', { details: { AWSAccessKeyId: claim.accessKeyId } });
    }
    checkToken(credentials, claim);
    const canonicalRequest = canonicaliser.canonicalRequest(request, claim, claim.payloadHash);
    const text = await canonicaliser.textToSign(claim, canonicalRequest);
    const key = await getSigningKey(NodeSha256, credentials, claim.day, claim.region, 's3');
    const expected = createHmac('sha256', key).update(text).digest('hex');
    if (!equalInConstantTime(expected, claim.signature)) {
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

function checkToken(credentials: KnownCredentials, claim: Claim): void {
  const { sessionToken, until } = credentials;
  // The access key of a session is valid only together with its token.
  if (sessionToken !== undefined && claim.token === undefined) {
    throw new S3Error('InvalidAccessKeyId', { details: { AWSAccessKeyId: claim.accessKeyId } });
  }
  if (!equalInConstantTime(sessionToken ?? '', claim.token ?? ''))
    throw new S3Error('InvalidToken');
  if (until !== undefined && until <= Date.now()) throw new S3Error('ExpiredToken');
}

/**
 * Throws AccessDenied for `x-amz-*` headers that are not signed. The payload hash of a presigned
 * URL is exempt: some clients always send it, and it has no effect there.
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
 * The headers of a request, for a presigned URL together with the `x-amz-*` parameters of its
 * query, into which signers move such headers. Checksums are not among them: S3 reads them from
 * headers only.
 */
export function effectiveHeaders(request: S3Request, caller: Caller): S3Request['headers'] {
  if (!caller.presigned) return request.headers;
  const headers: Record<string, string> = Object.create(null);
  for (const [name, values] of Object.entries(request.query)) {
    const lower = name.toLowerCase();
    const counts = lower.startsWith('x-amz-') && !lower.startsWith('x-amz-checksum-');
    if (!counts || lower === 'x-amz-sdk-checksum-algorithm') continue;
    // As Node decodes headers: one character for each byte.
    headers[lower] = Buffer.from(values.join(',')).toString('latin1');
  }
  return Object.assign(headers, request.headers);
}
