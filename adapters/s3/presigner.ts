import { GetObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { formatUrl } from '@aws-sdk/core/util';
import { S3RequestPresigner } from '@aws-sdk/s3-request-presigner';
import { getEndpointFromInstructions } from '@smithy/core/endpoints';
import { HttpRequest } from '@smithy/core/protocols';
import type {
  DownloadOptions,
  PartOptions,
  PresignedRequest,
  UploadContent,
  UploadOptions,
} from '../../core/store/blobs';
import { encodedKey } from './s3-values';

/** Before the name of an entry of metadata: its header in S3. */
const METADATA = 'x-amz-meta-';

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

/**
 * Lower bound of the remaining validity, for an environment that lives longer than ever measured.
 */
const LEAST_MS = 60_000;

/** The headers that store the content's properties with its bytes. */
function contentHeaders({
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
 * Creates presigned URLs (SigV4 in the query) for one S3 bucket. Makes no calls. The requests are
 * built here and signed by the SDK's presigner: `getSignedUrl` runs the middleware of a whole call
 * for each URL, which takes a millisecond in place of 50 µs.
 */
export class S3Presigner {
  private readonly presigner: S3RequestPresigner;
  private address: Promise<URL> | undefined;

  constructor(
    protected readonly client: S3Client,
    readonly bucketName: string,
    /** Epoch milliseconds. */
    private readonly credentialsEnd = BEGAN + CREDENTIAL_MS,
  ) {
    this.presigner = new S3RequestPresigner({ ...client.config });
  }

  /** `https://…`: of every URL that it signs. */
  async origin(): Promise<string> {
    return (await this.bucketAddress()).origin;
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

  private async sign(
    blob: string,
    expiresIn: number,
    { method, query, headers = {} }: Signable,
  ): Promise<PresignedRequest> {
    const { protocol, hostname, port, pathname } = await this.bucketAddress();
    const { signingDate, expiresAt } = this.validity(expiresIn);
    const signed = new Set(Object.keys(headers));
    const request = new HttpRequest({
      ...{ method, protocol, hostname, headers: { ...headers } },
      ...(port !== '' && { port: Number(port) }),
      path: `${pathname.replace(/\/$/, '')}/${encodedKey(blob)}`,
      query: Object.fromEntries(Object.entries(query).flatMap(definedPair)),
    });
    const options = { expiresIn, signingDate, signableHeaders: signed, unhoistableHeaders: signed };
    return { url: formatUrl(await this.presigner.presign(request, options)), headers, expiresAt };
  }

  /** The address of the bucket, which is the same for all its keys. */
  private bucketAddress(): Promise<URL> {
    const parameters = { Bucket: this.bucketName, Key: '' };
    this.address ??= getEndpointFromInstructions(parameters, GetObjectCommand, {
      ...this.client.config,
    }).then(({ url }) => url);
    return this.address;
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

function definedPair([name, value]: readonly [string, string | undefined]) {
  return value === undefined ? [] : [[name, value] as const];
}
