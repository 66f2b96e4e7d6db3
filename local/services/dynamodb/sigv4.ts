/**
 * Verifies Signature Version 4 of a request with an Authorization header; DynamoDB has no presigned requests.
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 * node:crypto instead of @smithy/signature-v4, which takes ten times as long (README.md).
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Iam, Principal } from '../../iam/iam';
import { DynamoDbError } from './errors';

const AUTHORIZATION =
  /^AWS4-HMAC-SHA256\s+Credential=([^/,\s]+)\/(\d{8})\/([^/,\s]+)\/([^/,\s]+)\/aws4_request,\s*SignedHeaders=([^,\s]+),\s*Signature=([0-9a-f]{64})$/;
const AMZ_DATE = /^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})Z$/;
/** A request is good for 15 minutes either way. */
const SKEW_MILLISECONDS = 15 * 60_000;
const MAX_CACHED_KEYS = 1000;

export interface SignedRequest {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Verifies POST requests to `/`. */
export class Authenticator {
  private readonly signingKeys = new Map<string, Buffer>();

  constructor(
    private readonly iam: Iam,
    private readonly region: string,
  ) {}

  /** Who signed this. Throws the error that AWS would answer. */
  authenticate(request: SignedRequest): Principal {
    const { authorization } = request.headers;
    if (authorization === undefined) {
      throw refusal(
        'MissingAuthenticationTokenException',
        'Request is missing Authentication Token',
      );
    }
    const match = AUTHORIZATION.exec(authorization);
    const [, accessKeyId, day, region, service, signedHeaders, signature] = match ?? [];
    const date = single(request.headers['x-amz-date']);
    if (!accessKeyId || !day || !region || !service || !signedHeaders || !signature || !date) {
      throw refusal(
        'IncompleteSignatureException',
        "Authorization header requires 'Credential', 'SignedHeaders' and 'Signature' parameters and an 'X-Amz-Date' header.",
      );
    }
    const credentials = this.iam.credentials(accessKeyId);
    const token = single(request.headers['x-amz-security-token']);
    if (credentials === undefined || token !== credentials.sessionToken) {
      throw refusal(
        'UnrecognizedClientException',
        'The security token included in the request is invalid.',
      );
    }
    const scope = `${day}/${region}/${service}/aws4_request`;
    if (region !== this.region || service !== 'dynamodb' || !date.startsWith(day)) {
      throw refusal(
        'InvalidSignatureException',
        `Credential should be scoped to ${date.slice(0, 8)}/${this.region}/dynamodb/aws4_request, not to ${scope}.`,
      );
    }
    checkTime(date);
    const canonical = canonicalRequest(request, signedHeaders);
    const text = `AWS4-HMAC-SHA256\n${date}\n${scope}\n${sha256(canonical)}`;
    const expected = createHmac('sha256', this.signingKey(credentials.secretAccessKey, day))
      .update(text)
      .digest();
    if (!timingSafeEqual(expected, Buffer.from(signature, 'hex'))) {
      throw refusal(
        'InvalidSignatureException',
        'The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key and signing method. Consult the service documentation for details.',
      );
    }
    return credentials.principal;
  }

  /** One a day and secret: four HMACs saved per request. */
  private signingKey(secret: string, day: string): Buffer {
    const name = `${day}${secret}`;
    let key = this.signingKeys.get(name);
    if (key === undefined) {
      key = [day, this.region, 'dynamodb', 'aws4_request'].reduce<Buffer>(
        (previous, part) => createHmac('sha256', previous).update(part).digest(),
        Buffer.from(`AWS4${secret}`),
      );
      if (this.signingKeys.size >= MAX_CACHED_KEYS) this.signingKeys.clear();
      this.signingKeys.set(name, key);
    }
    return key;
  }
}

function canonicalRequest(request: SignedRequest, signedHeaders: string): string {
  const names = signedHeaders.split(';');
  for (const name of Object.keys(request.headers)) {
    // What is not signed could have been changed on the way.
    if ((name === 'host' || name.startsWith('x-amz-')) && !names.includes(name)) {
      throw refusal(
        'InvalidSignatureException',
        `'${name}' must be a 'SignedHeader' in the AWS Authorization.`,
      );
    }
  }
  let headers = '';
  for (const name of names) {
    headers += `${name}:${(single(request.headers[name]) ?? '').trim().replace(/ +/g, ' ')}\n`;
  }
  return `POST\n/\n\n${headers}\n${signedHeaders}\n${sha256(request.body)}`;
}

function checkTime(date: string): void {
  const signedAt = Date.parse(date.replace(AMZ_DATE, '$1-$2-$3T$4:$5:$6Z'));
  const lateness = Date.now() - signedAt;
  if (Number.isNaN(lateness) || Math.abs(lateness) > SKEW_MILLISECONDS) {
    const problem = lateness < 0 ? 'Signature not yet current' : 'Signature expired';
    throw refusal('InvalidSignatureException', `${problem}: ${date} is 15 min or more from now.`);
  }
}

function refusal(code: string, message: string): DynamoDbError {
  return new DynamoDbError(code, message);
}

function sha256(data: string | Buffer): string {
  return createHash('sha256').update(data).digest('hex');
}

/** A header that was sent more than once is joined by Node, but for a few that are not ours. */
function single(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(',') : value;
}
