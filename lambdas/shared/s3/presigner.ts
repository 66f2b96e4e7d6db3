import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  GetObjectCommand,
  PutObjectCommand,
  type S3Client,
  type ServiceInputTypes,
  type ServiceOutputTypes,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { getSignedUrl, S3RequestPresigner } from '@aws-sdk/s3-request-presigner';
import type {
  DownloadOptions,
  PartOptions,
  PresignedRequest,
  UploadOptions,
} from '../../../core/objects/blob-ports';

type Signable<I extends ServiceInputTypes, O extends ServiceOutputTypes> = Parameters<
  typeof getSignedUrl<ServiceInputTypes, I, O>
>[1];

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

/** Creates presigned URLs (SigV4 in the query) for one S3 bucket. Makes no calls. */
export class S3Presigner {
  private readonly signer: S3RequestPresigner;
  /** The URL of the parts of the last multipart upload, without a signature. */
  private parts: { readonly of: string; readonly url: Promise<string> } | undefined;

  constructor(
    protected readonly client: S3Client,
    readonly bucketName: string,
    /** Epoch milliseconds. */
    private readonly credentialsEnd = BEGAN + CREDENTIAL_MS,
  ) {
    this.signer = new S3RequestPresigner(client.config);
  }

  async presignGet(blob: string, options: DownloadOptions): Promise<PresignedRequest> {
    const command = new GetObjectCommand({
      Bucket: this.bucketName,
      Key: blob,
      ResponseContentDisposition: options.contentDisposition,
      ResponseCacheControl: options.cacheControl,
    });
    return this.sign(command, options.expiresIn);
  }

  async presignPut(blob: string, options: UploadOptions): Promise<PresignedRequest> {
    const { expiresIn, contentType, contentLength, checksumSha256 } = options;
    const command = new PutObjectCommand({
      Bucket: this.bucketName,
      Key: blob,
      IfNoneMatch: '*',
      ContentType: contentType,
      ContentLength: contentLength,
      ChecksumSHA256: checksumSha256,
    });
    return this.sign(command, expiresIn, {
      'if-none-match': '*',
      ...(contentType !== undefined && { 'content-type': contentType }),
      ...(contentLength !== undefined && { 'content-length': String(contentLength) }),
      ...(checksumSha256 !== undefined && { 'x-amz-checksum-sha256': checksumSha256 }),
    });
  }

  /**
   * For each part the SDK would build a whole request to sign it: more than 0.3 ms, which is
   * seconds for 10,000 parts. The parts of an upload differ in a query parameter and in the length.
   * So the SDK builds their URL once, and only its signer runs for each part, which is ten times as
   * fast.
   */
  async presignPart(
    blob: string,
    { multipartId, number, length, expiresIn }: PartOptions,
  ): Promise<PresignedRequest> {
    const headers = { 'content-length': String(length) };
    const { origin, protocol, hostname, port, pathname } = await this.partsUrl(blob, multipartId);
    const { signingDate, expiresAt } = this.validity(expiresIn);
    const { query = {} } = await this.signer.presign(
      {
        method: 'PUT',
        protocol,
        hostname,
        ...(port !== '' && { port: Number(port) }),
        path: pathname,
        // A copy: the signer adds its own.
        headers: { ...headers },
        query: { partNumber: String(number), uploadId: multipartId, 'x-id': 'UploadPart' },
      },
      { expiresIn, signingDate },
    );
    const search = Object.entries(query)
      .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
      .join('&');
    return { url: `${origin}${pathname}?${search}`, headers, expiresAt };
  }

  async presignComplete(
    blob: string,
    multipartId: string,
    expiresIn: number,
  ): Promise<PresignedRequest> {
    const command = new CompleteMultipartUploadCommand({
      Bucket: this.bucketName,
      Key: blob,
      UploadId: multipartId,
      IfNoneMatch: '*',
    });
    return this.sign(command, expiresIn, { 'if-none-match': '*' });
  }

  async presignAbort(
    blob: string,
    multipartId: string,
    expiresIn: number,
  ): Promise<PresignedRequest> {
    const command = new AbortMultipartUploadCommand({
      Bucket: this.bucketName,
      Key: blob,
      UploadId: multipartId,
    });
    return this.sign(command, expiresIn);
  }

  /**
   * Signs `headers`, which the client must send. None of them is moved into the URL, where S3 would
   * not compare it with the request.
   */
  private async sign<I extends ServiceInputTypes, O extends ServiceOutputTypes>(
    command: Signable<I, O>,
    expiresIn: number,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<PresignedRequest> {
    const { signingDate, expiresAt } = this.validity(expiresIn);
    const signed = new Set(Object.keys(headers));
    const url = await getSignedUrl(this.client, command, {
      expiresIn,
      signingDate,
      signableHeaders: signed,
      unhoistableHeaders: signed,
    });
    return { url, headers, expiresAt };
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

  private async partsUrl(blob: string, multipartId: string): Promise<URL> {
    const of = `${multipartId} ${blob}`;
    if (this.parts?.of !== of) {
      const upload = { Bucket: this.bucketName, Key: blob, UploadId: multipartId, PartNumber: 1 };
      this.parts = { of, url: getSignedUrl(this.client, new UploadPartCommand(upload)) };
    }
    return new URL(await this.parts.url);
  }
}
