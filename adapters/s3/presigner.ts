import type {
  DownloadOptions,
  PartOptions,
  PresignedRequest,
  UploadContent,
  UploadOptions,
} from '../../core/store/blobs';
import { encode } from '../aws/encode';
import type { Endpoint } from '../aws/environment';
import type { S3Address, S3Connection } from './s3-connection';

/** Before the name of an entry of metadata: its header in S3. */
export const METADATA = 'x-amz-meta-';

interface Signable {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  /** Unencoded. Those without a value are left out. */
  readonly query: Readonly<Record<string, string | undefined>>;
  /**
   * Names in lower case. The client must send them: they are signed, and none is moved into the
   * URL, where S3 would not compare it with the request.
   */
  readonly headers?: Readonly<Record<string, string>>;
}

/** About when this execution environment, and with it its credentials, began. */
const BEGAN = Date.now();

/**
 * How long the credentials of an execution environment are certain to last. Lambda puts them into
 * environment variables when the environment begins, without their end, which it does not document.
 * Others have measured 12 hours (boto/boto3 issue 2392). The margin is for the time before BEGAN.
 */
const CREDENTIAL_MS = 12 * 3_600_000 - 15 * 60_000;

/** What `expiresAt` leaves at least, should an environment live longer than was ever measured. */
const LEAST_MS = 60_000;

/** The bytes are not known when the URL is signed. The URL has the parameter in this case. */
const ANY_BODY = { 'X-Amz-Content-Sha256': 'UNSIGNED-PAYLOAD' };

/** The headers that store the content's properties with its bytes. */
export function contentHeaders({
  contentType,
  headers = {},
  metadata = {},
}: UploadContent): Readonly<Record<string, string>> {
  const prefixed = Object.entries(metadata).map(([name, value]) => [METADATA + name, value]);
  return {
    ...(contentType !== undefined && { 'content-type': contentType }),
    ...headers,
    ...Object.fromEntries(prefixed),
  };
}

/**
 * Creates presigned URLs (SigV4 in the query) for one S3 bucket, byte for byte those of
 * `@aws-sdk/s3-request-presigner`. Makes no calls.
 */
export class S3Presigner {
  constructor(
    protected readonly connection: S3Connection,
    readonly bucketName: string,
    /** Epoch milliseconds. */
    private readonly credentialsEnd = BEGAN + CREDENTIAL_MS,
  ) {}

  /** `https://…`: of every URL that it signs. */
  get origin(): string {
    return originOf(this.addressOf().endpoint);
  }

  presignGet(blob: string, options: DownloadOptions): Promise<PresignedRequest> {
    const query = {
      'response-content-disposition': options.contentDisposition,
      'response-content-type': options.contentType,
      'response-cache-control': options.cacheControl,
      'response-content-encoding': options.contentEncoding,
      'response-content-language': options.contentLanguage,
      'x-id': 'GetObject',
    };
    return this.sign(blob, options.expiresIn, { method: 'GET', query });
  }

  presignPut(blob: string, options: UploadOptions): Promise<PresignedRequest> {
    const { expiresIn, contentLength, checksumSha256 } = options;
    const headers = {
      'if-none-match': '*',
      ...contentHeaders(options),
      ...(contentLength !== undefined && { 'content-length': String(contentLength) }),
      ...(checksumSha256 !== undefined && { 'x-amz-checksum-sha256': checksumSha256 }),
    };
    return this.sign(blob, expiresIn, { method: 'PUT', query: { 'x-id': 'PutObject' }, headers });
  }

  presignPart(
    blob: string,
    { multipartId, number, length, expiresIn }: PartOptions,
  ): Promise<PresignedRequest> {
    const query = { partNumber: String(number), uploadId: multipartId, 'x-id': 'UploadPart' };
    const headers = { 'content-length': String(length) };
    return this.sign(blob, expiresIn, { method: 'PUT', query, headers });
  }

  presignComplete(blob: string, multipartId: string, expiresIn: number): Promise<PresignedRequest> {
    const headers = { 'if-none-match': '*' };
    return this.sign(blob, expiresIn, {
      method: 'POST',
      query: { uploadId: multipartId },
      headers,
    });
  }

  presignAbort(blob: string, multipartId: string, expiresIn: number): Promise<PresignedRequest> {
    const query = { uploadId: multipartId, 'x-id': 'AbortMultipartUpload' };
    return this.sign(blob, expiresIn, { method: 'DELETE', query });
  }

  protected addressOf(blob?: string): S3Address {
    return this.connection.addressOf(this.bucketName, blob);
  }

  private async sign(
    blob: string,
    expiresIn: number,
    { method, query, headers = {} }: Signable,
  ): Promise<PresignedRequest> {
    const { endpoint, path } = this.addressOf(blob);
    const { protocol, hostname } = endpoint;
    const origin = originOf(endpoint);
    const host = origin.slice(`${protocol}//`.length);
    const { signingDate, expiresAt } = this.validity(expiresIn);
    const signed = new Set(Object.keys(headers));
    const given = Object.entries(query).filter((entry) => entry[1] !== undefined);
    const { query: parameters = {} } = await this.connection.signer.presign(
      {
        method,
        protocol,
        hostname,
        path,
        headers: { ...headers, ...ANY_BODY, host },
        query: Object.fromEntries(given) as Record<string, string>,
      },
      { expiresIn, signingDate, signableHeaders: signed, unhoistableHeaders: signed },
    );
    const search = Object.entries(parameters)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, value]) => `${encode(name)}=${encode(String(value))}`)
      .join('&');
    return { url: `${origin}${path}?${search}`, headers, expiresAt };
  }

  /**
   * S3 counts from the full second of the signature, and refuses a URL whose credentials have
   * ended.
   */
  private validity(expiresIn: number): { readonly signingDate: Date; readonly expiresAt: string } {
    const signingDate = new Date();
    const asked = (Math.floor(signingDate.getTime() / 1000) + expiresIn) * 1000;
    const last = Math.max(this.credentialsEnd, signingDate.getTime() + LEAST_MS);
    return { signingDate, expiresAt: new Date(Math.min(asked, last)).toISOString() };
  }
}

function originOf({ protocol, hostname, port }: Endpoint): string {
  return `${protocol}//${hostname}${port === undefined ? '' : `:${port}`}`;
}
