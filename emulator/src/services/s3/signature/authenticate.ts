/**
 * Signature Version 4 as S3 verifies it: in the Authorization header, or in the query of a
 * presigned URL.
 * https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-authenticating-requests.html
 * Not emulated: SigV4A, SigV2, POST policies, `Date` in place of `x-amz-date`.
 */
import { createHmac } from 'node:crypto';
import type { Iam, KnownCredentials, Principal } from '../../../iam/iam';
import { canonicalRequest, equalInConstantTime, SigningKeys, textToSign } from '../../../iam/sigv4';
import { S3Error } from '../protocol/errors';
import type { S3Request } from '../protocol/request';
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

function canonicalised(request: S3Request, claim: Claim): string {
  const headers: Record<string, string> = Object.create(null);
  // A header that was signed but not sent counts as empty, so that the signature cannot match.
  for (const name of claim.signedHeaders) headers[name] = asUtf8(request.headers[name] ?? '');
  const { method, canonicalPath: path, query } = request;
  return canonicalRequest({ method, path, query, headers, payloadHash: claim.payloadHash });
}

/** Node decodes header bytes as Latin-1; clients sign them as UTF-8. */
function asUtf8(value: string): string {
  return /^[\x20-\x7e]*$/.test(value) ? value : Buffer.from(value, 'latin1').toString('utf8');
}

export type Authenticate = (request: S3Request) => Caller;

/**
 * Returns a function that returns the signer of a request, or throws the S3Error with which S3
 * refuses it.
 */
export function createAuthenticator(iam: Iam, region: string): Authenticate {
  const keys = new SigningKeys(region, 's3');

  return (request) => {
    const claim = readClaim(request, region, Date.now());
    const credentials = iam.credentials(claim.accessKeyId, claim.token);
    if (credentials === undefined) {
      throw new S3Error('InvalidAccessKeyId', { details: { AWSAccessKeyId: claim.accessKeyId } });
    }
    checkToken(credentials, claim);
    const canonical = canonicalised(request, claim);
    const scope = keys.scope(claim.day);
    const text = textToSign(claim.date, scope, canonical);
    const key = keys.key(credentials.secretAccessKey, claim.day);
    const expected = createHmac('sha256', key).update(text).digest('hex');
    if (!equalInConstantTime(expected, claim.signature)) {
      throw new S3Error('SignatureDoesNotMatch', {
        details: {
          AWSAccessKeyId: claim.accessKeyId,
          StringToSign: text,
          SignatureProvided: claim.signature,
          CanonicalRequest: canonical,
        },
      });
    }
    checkAllSigned(request, claim);
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
