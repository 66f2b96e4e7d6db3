/**
 * SigV4 in the header Authorization:
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/create-signed-request.html
 * The SDK's signer, which presigns URLs here, takes longer for a request, because it waits for each
 * hash. It is the reference of the tests.
 */
import { createHash, createHmac } from 'node:crypto';
import { encode } from './encode';
import { type Credentials, environmentCredentials } from './environment';
import type { SignerOptions } from './signer';

export interface RequestToSign {
  readonly method: string;
  /** Encoded, as it is sent. */
  readonly path: string;
  /** Neither names nor values are encoded. */
  readonly query: Readonly<Record<string, string>>;
  /** Names in lower case. `x-amz-content-sha256`, if given, saves hashing the body. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

export type RequestSigner = (request: RequestToSign, at?: Date) => Readonly<Record<string, string>>;

const NO_BODY = hash('');

/** Headers that proxies may change, and that the SDK does not sign either. */
const UNSIGNED = new Set(['cache-control', 'expect', 'user-agent', 'x-amzn-trace-id']);

/** Returns the headers of the request with those of its signature. */
export function createRequestSigner(options: SignerOptions): RequestSigner {
  const { service, region, credentials = environmentCredentials, uriEscapePath = true } = options;
  const keyOf = signingKeys(region, service);
  return ({ method, path, query, headers, body }, at = new Date()) => {
    const { accessKeyId, secretAccessKey, sessionToken } = credentials();
    const time = `${at.toISOString().replace(/[-:]|\.\d+/g, '')}`;
    const day = time.slice(0, 8);
    const content = headers['x-amz-content-sha256'] ?? (body === undefined ? NO_BODY : hash(body));
    const all: Record<string, string> = {
      ...headers,
      'x-amz-date': time,
      'x-amz-content-sha256': content,
      ...(sessionToken !== undefined && { 'x-amz-security-token': sessionToken }),
    };
    const names = Object.keys(all)
      .filter((name) => !UNSIGNED.has(name))
      .sort();
    const lines = names.map((name) => `${name}:${trimmed(all[name] ?? '')}\n`).join('');
    const signed = names.join(';');
    const signedPath = uriEscapePath ? encode(path).replaceAll('%2F', '/') : path;
    const canonical = `${method}\n${signedPath}\n${sortedQuery(query)}\n${lines}\n${signed}\n${content}`;
    const scope = `${day}/${region}/${service}/aws4_request`;
    const text = `AWS4-HMAC-SHA256\n${time}\n${scope}\n${hash(canonical)}`;
    const signature = createHmac('sha256', keyOf(secretAccessKey, day)).update(text).digest('hex');
    all.authorization = `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope}, SignedHeaders=${signed}, Signature=${signature}`;
    return all;
  };
}

/** The signing key of a day, which is derived once. */
function signingKeys(region: string, service: string) {
  let known: { readonly secret: string; readonly day: string; readonly key: Buffer } | undefined;
  return (secret: Credentials['secretAccessKey'], day: string): Buffer => {
    if (known?.secret === secret && known.day === day) return known.key;
    const key = [day, region, service, 'aws4_request'].reduce(
      (parent: string | Buffer, part) => createHmac('sha256', parent).update(part).digest(),
      `AWS4${secret}`,
    ) as Buffer;
    known = { secret, day, key };
    return key;
  };
}

function sortedQuery(query: RequestToSign['query']): string {
  return Object.entries(query)
    .map(([name, value]) => [encode(name), encode(value)] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
}

function trimmed(value: string): string {
  return /\s/.test(value) ? value.replace(/[\r\n\t ]+/g, ' ').replace(/^ | $/g, '') : value;
}

function hash(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}
