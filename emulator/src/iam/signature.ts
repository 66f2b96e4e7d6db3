/**
 * Verifies Signature Version 4 of requests with an Authorization header, for the services without
 * presigned requests and large bodies. S3 has its own rules. AWS's signer computes the signature;
 * this file contains the rules around it.
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { SignatureV4 } from '@smithy/signature-v4';
import type { Credentials, Iam, Principal } from './iam';
import { equalInConstantTime, NodeSha256, parseAmzDate, parseAuthorization } from './sigv4';

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
  private readonly signers = new Map<string, SignatureV4>();

  constructor(
    private readonly iam: Iam,
    private readonly region: string,
    /** The name in signatures: `dynamodb`, `execute-api`. */
    private readonly service: string,
  ) {}

  /** Returns the principal that signed the request. Rejects with SignatureError. */
  async authenticate(request: SignedRequest): Promise<Principal> {
    const claim = readClaim(request.headers);
    const header = request.headers['x-amz-security-token'];
    const token = header === undefined ? undefined : String(header);
    const credentials = this.iam.credentials(claim.accessKeyId, token);
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
    const { day, region, service, date } = claim;
    if (region !== this.region || service !== this.service || !date.startsWith(day)) {
      throw invalid(
        `Credential should be scoped to ${date.slice(0, 8)}/${this.region}/${this.service}, not to ${day}/${region}/${service}.`,
      );
    }
    const signingDate = signedAt(date);
    const headers = readSignedHeaders(request.headers, claim.signedHeaders);
    const hash = request.headers['x-amz-content-sha256'];
    const { method, path, query, body } = request;
    const signed = await this.signer(credentials).sign(
      { method, protocol: 'http:', hostname: '', path, query, headers, body },
      { signingDate, signableHeaders: new Set(claim.signedHeaders) },
    );
    const expected = String(signed.headers.authorization).slice(-64);
    if (
      !equalInConstantTime(expected, claim.signature) ||
      // The signer uses this header without checking it.
      (hash !== undefined && hash !== createHash('sha256').update(body).digest('hex'))
    ) {
      throw invalid(
        'The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key and signing method. Consult the service documentation for details.',
      );
    }
    return credentials.principal;
  }

  /** Caches one signer per access key. */
  private signer({ accessKeyId, secretAccessKey }: Credentials): SignatureV4 {
    let signer = this.signers.get(accessKeyId);
    if (signer === undefined) {
      signer = new SignatureV4({
        // Without the session token, which is one of the headers already.
        credentials: { accessKeyId, secretAccessKey },
        region: this.region,
        service: this.service,
        sha256: NodeSha256,
        applyChecksum: false,
      });
      this.signers.set(accessKeyId, signer);
    }
    return signer;
  }
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

function signedAt(date: string): Date {
  const time = parseAmzDate(date);
  const lateness = Date.now() - (time ?? Number.NaN);
  if (time === undefined || Math.abs(lateness) > SKEW_MILLISECONDS) {
    const problem = lateness < 0 ? 'Signature not yet current' : 'Signature expired';
    throw invalid(`${problem}: ${date} is 15 min or more from now.`);
  }
  return new Date(time);
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
