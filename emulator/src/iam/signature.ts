/**
 * Verifies Signature Version 4 of requests with an Authorization header, for the services without
 * presigned requests and large bodies. S3 has its own rules.
 */
import { createHash, createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Iam, KnownCredentials, Principal } from './iam';
import {
  canonicalRequest,
  encodeSegment,
  equalInConstantTime,
  parseAmzDate,
  parseAuthorization,
  SigningKeys,
  textToSign,
} from './sigv4';

const CREDENTIAL = /^([^/]+)\/(\d{8})\/([^/]+)\/([^/]+)\/aws4_request$/;
/** Largest difference between the clocks of client and service. */
const SKEW_MILLISECONDS = 15 * 60_000;

/** The signature is missing or invalid. `message` is AWS's text. */
export class SignatureError extends Error {
  constructor(
    readonly code:
      | 'ExpiredTokenException'
      | 'IncompleteSignatureException'
      | 'InvalidSignatureException'
      | 'MissingAuthenticationTokenException'
      | 'UnrecognizedClientException',
    message: string,
  ) {
    super(message);
    this.name = 'SignatureError';
  }
}

export interface SignedRequest {
  readonly method: string;
  /** As sent, with percent-escapes, without the query. */
  readonly path: string;
  /** Decoded; each name once. */
  readonly query?: Readonly<Record<string, string>>;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** The values of the Authorization and the date header. */
interface Claim {
  readonly accessKeyId: string;
  readonly day: string;
  readonly region: string;
  readonly service: string;
  readonly signedHeaders: readonly string[];
  readonly signature: string;
  readonly date: string;
}

export class Authenticator {
  private readonly keys: SigningKeys;

  constructor(
    private readonly iam: Iam,
    private readonly region: string,
    /** The name in signatures: `dynamodb`, `execute-api`. */
    private readonly service: string,
  ) {
    this.keys = new SigningKeys(region, service);
  }

  /** Returns the principal that signed the request. Throws SignatureError. */
  authenticate(request: SignedRequest): Principal {
    const claim = readClaim(request.headers);
    const credentials = this.credentialsOf(claim, request);
    const { day, region, service, date } = claim;
    if (region !== this.region || service !== this.service || !date.startsWith(day)) {
      throw invalid(
        `Credential should be scoped to ${date.slice(0, 8)}/${this.region}/${this.service}, not to ${day}/${region}/${service}.`,
      );
    }
    checkAge(date);
    const payloadHash = createHash('sha256').update(request.body).digest('hex');
    const canonical = canonicalRequest({
      method: request.method,
      path: canonicalPath(request.path),
      query: request.query ?? {},
      headers: readSignedHeaders(request.headers, claim.signedHeaders),
      payloadHash,
    });
    const text = textToSign(date, this.keys.scope(day), canonical);
    const key = this.keys.key(credentials.secretAccessKey, day);
    const expected = createHmac('sha256', key).update(text).digest('hex');
    const sentHash = request.headers['x-amz-content-sha256'] ?? payloadHash;
    if (!equalInConstantTime(expected, claim.signature) || sentHash !== payloadHash) {
      throw invalid(
        'The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key and signing method. Consult the service documentation for details.',
      );
    }
    return credentials.principal;
  }

  private credentialsOf({ accessKeyId }: Claim, { headers }: SignedRequest): KnownCredentials {
    const header = headers['x-amz-security-token'];
    const token = header === undefined ? undefined : String(header);
    const credentials = this.iam.credentials(accessKeyId, token);
    if (credentials === undefined || token !== credentials.sessionToken) {
      throw new SignatureError(
        'UnrecognizedClientException',
        'The security token included in the request is invalid.',
      );
    }
    if (credentials.until !== undefined && credentials.until <= Date.now()) {
      throw new SignatureError(
        'ExpiredTokenException',
        'The security token included in the request is expired',
      );
    }
    return credentials;
  }
}

/**
 * Returns the path without empty and dot segments, percent-encoded once more than it was sent, as
 * all services except S3 sign it.
 */
function canonicalPath(path: string): string {
  if (path === '/') return path;
  const segments: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '..') segments.pop();
    else if (segment !== '' && segment !== '.') segments.push(encodeSegment(segment));
  }
  return `/${segments.join('/')}${segments.length > 0 && path.endsWith('/') ? '/' : ''}`;
}

function readClaim(headers: IncomingHttpHeaders): Claim {
  const { authorization } = headers;
  if (authorization === undefined) {
    throw new SignatureError(
      'MissingAuthenticationTokenException',
      'Request is missing Authentication Token',
    );
  }
  const parsed = parseAuthorization(authorization);
  const [, accessKeyId, day, region, service] = CREDENTIAL.exec(parsed?.credential ?? '') ?? [];
  const date = headers['x-amz-date'];
  if (!parsed || !accessKeyId || !day || !region || !service) {
    throw incomplete("'Credential', 'SignedHeaders' and 'Signature' parameters");
  }
  if (typeof date !== 'string') throw incomplete("existence of an 'X-Amz-Date' header");
  const { signature, signedHeaders } = parsed;
  return { accessKeyId, day, region, service, signature, date, signedHeaders };
}

/**
 * Returns the signed headers. `host` and all `x-amz-*` headers must be signed, because others could
 * have been changed in transit.
 */
function readSignedHeaders(
  headers: IncomingHttpHeaders,
  names: readonly string[],
): Record<string, string> {
  for (const name of Object.keys(headers)) {
    if ((name === 'host' || name.startsWith('x-amz-')) && !names.includes(name)) {
      throw invalid(`'${name}' must be a 'SignedHeader' in the AWS Authorization.`);
    }
  }
  const signed: Record<string, string> = Object.create(null);
  for (const name of names) {
    const value = headers[name];
    // A header that was not sent is omitted, so the signature cannot match.
    if (value !== undefined) signed[name] = String(value);
  }
  return signed;
}

/** Throws when the date of the signature is malformed or too far from now. */
function checkAge(date: string): void {
  const lateness = Date.now() - (parseAmzDate(date) ?? Number.NaN);
  // Not a number when the date is malformed.
  if (Math.abs(lateness) <= SKEW_MILLISECONDS) return;
  const problem = lateness < 0 ? 'Signature not yet current' : 'Signature expired';
  throw invalid(`${problem}: ${date} is 15 min or more from now.`);
}

function invalid(message: string): SignatureError {
  return new SignatureError('InvalidSignatureException', message);
}

function incomplete(what: string): SignatureError {
  return new SignatureError(
    'IncompleteSignatureException',
    `Authorization header requires ${what}.`,
  );
}
