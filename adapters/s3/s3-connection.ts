/**
 * Calls and signatures of S3 without the SDK, whose clients take most of a function's time to load
 * and to run. What needs S3's XML lists still uses the SDK: blob-reader.ts.
 */
import type { SignatureV4 } from '@smithy/signature-v4';
import { AwsClient, type AwsResponse } from '../aws/aws-client';
import { AwsError } from '../aws/aws-error';
import { encode } from '../aws/encode';
import { type Credentials, type Endpoint, endpointOverride } from '../aws/environment';
import { createSigner } from '../aws/signer';

export interface S3Options {
  /** Default: the environment's. */
  readonly region?: string;
  readonly credentials?: () => Credentials;
  readonly endpoint?: Endpoint;
  /** How long S3 may take to begin a response, milliseconds. Default: 10 seconds. */
  readonly requestTimeout?: number;
}

/** Where an object is: the host, and the path as it is sent. */
export interface S3Address {
  readonly endpoint: Endpoint;
  readonly path: string;
}

export interface S3Connection {
  readonly client: Pick<AwsClient, 'call' | 'open'>;
  readonly signer: SignatureV4;
  /** The address of a key. Without one, that of the bucket. */
  readonly addressOf: (bucket: string, key?: string) => S3Address;
  /** The key as a path, percent-encoded, with a slash before it. */
  readonly pathOf: (key: string) => string;
}

const TIMEOUTS = {
  connection: 1_000,
  /** Up to 4 MiB are uploaded before the response begins. */
  request: 10_000,
};

export function connectS3(options: S3Options = {}): S3Connection {
  const endpoint = options.endpoint ?? endpointOverride('s3');
  const uriEscapePath = false;
  const client = new AwsClient({
    ...options,
    endpoint,
    service: 's3',
    uriEscapePath,
    timeouts: { ...TIMEOUTS, request: options.requestTimeout ?? TIMEOUTS.request },
    parseError,
  });
  const { region } = client;
  const signer = createSigner({ ...options, region, service: 's3', uriEscapePath });
  const pathOf = (key: string) => `/${key.split('/').map(encode).join('/')}`;
  const addressOf = (bucket: string, key = ''): S3Address => {
    const path = pathOf(key);
    // Host names that contain the bucket name resolve only at AWS. Of names of S3 buckets, those
    // with a dot are no single label, which a certificate with an asterisk covers.
    if (endpoint !== undefined || bucket.includes('.')) {
      return { endpoint: client.endpoint, path: `/${bucket}${path}` };
    }
    const { hostname } = client.endpoint;
    return { endpoint: { ...client.endpoint, hostname: `${bucket}.${hostname}` }, path };
  };
  return { client, signer, addressOf, pathOf };
}

/** The response to HEAD has no body with a code, so its error is named by the status. */
function parseError({ status, headers, body }: AwsResponse): AwsError {
  const xml = body.toString();
  const requestId = headers['x-amz-request-id'];
  return new AwsError(elementOf(xml, 'Code') ?? (status === 404 ? 'NotFound' : `Status${status}`), {
    status,
    message: elementOf(xml, 'Message'),
    ...(typeof requestId === 'string' && { requestId }),
  });
}

/** The text of the first element of that name, which has no elements in it. */
export function elementOf(xml: string, name: string): string | undefined {
  const begin = xml.indexOf(`<${name}>`);
  if (begin === -1) return undefined;
  const text = xml.slice(begin + name.length + 2);
  const end = text.indexOf('<');
  return end === -1 ? undefined : unescapeXml(text.slice(0, end));
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&apos;': "'",
  '&amp;': '&',
};

function unescapeXml(text: string): string {
  return text
    .replace(/&(lt|gt|quot|apos|amp);/g, (entity) => ENTITIES[entity] ?? entity)
    .replace(/&#(x[0-9a-f]{1,6}|\d{1,7});/gi, (_, digits: string) =>
      String.fromCodePoint(Number(digits.replace(/^x/i, '0x'))),
    );
}

/** XML text, also for an attribute. */
export function escapeXml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
