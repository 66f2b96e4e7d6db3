/** Reads a bucket of S3. Only this command loads the SDK. */
import type { GetObjectCommandOutput, S3Client, S3ClientConfig } from '@aws-sdk/client-s3';
import { folderPrefix } from '../shared/address';
import { UsageError, UserError } from '../shared/errors';

export interface SourceObject {
  /** The key without the prefix. */
  readonly name: string;
  readonly size: number;
  readonly etag: string;
  /** Milliseconds since the epoch. */
  readonly modifiedAt: number;
}

/** The bytes of an object and their content headers. */
export interface SourceContent {
  readonly body: AsyncIterable<Uint8Array>;
  readonly contentType?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly cacheControl?: string;
  readonly contentDisposition?: string;
  readonly contentEncoding?: string;
  readonly contentLanguage?: string;
}

export interface S3Options {
  /** Another service with the interface of S3. */
  readonly endpoint?: string;
  readonly region?: string;
}

/** Keys in a page. An interrupted import continues after its last complete page. */
const PAGE = 200;

export class S3Source {
  readonly about: string;
  readonly #bucket: string;
  readonly #prefix: string;
  readonly #client: S3Client;
  readonly #sdk: typeof import('@aws-sdk/client-s3');

  private constructor(
    { bucket, prefix }: { readonly bucket: string; readonly prefix: string },
    { endpoint, region }: S3Options,
    sdk: typeof import('@aws-sdk/client-s3'),
  ) {
    this.about = [endpoint ?? '', bucket, prefix].join('\n');
    this.#bucket = bucket;
    this.#prefix = prefix;
    this.#sdk = sdk;
    const options: S3ClientConfig = {
      ...(endpoint === undefined
        ? { followRegionRedirects: true }
        : { endpoint, forcePathStyle: true }),
      region: region ?? process.env.AWS_REGION ?? process.env.AWS_DEFAULT_REGION ?? 'us-east-1',
    };
    this.#client = new sdk.S3Client(options);
  }

  /** Throws UsageError unless the text is `s3://bucket` or `s3://bucket/prefix`. */
  static async open(text: string, options: S3Options): Promise<S3Source> {
    const [, bucket, folder = ''] = /^s3:\/\/([^/]+)(?:\/(.*))?$/s.exec(text) ?? [];
    if (bucket === undefined) {
      throw new UsageError(
        `${text} does not name a bucket of S3: write s3://BUCKET or s3://BUCKET/PREFIX/`,
      );
    }
    const prefix = folderPrefix(folder);
    return new S3Source({ bucket, prefix }, options, await import('@aws-sdk/client-s3'));
  }

  /** Yields pages of the objects after a name, in byte order. */
  async *pages(after?: string): AsyncGenerator<readonly SourceObject[], void, undefined> {
    let token: string | undefined;
    do {
      const command = new this.#sdk.ListObjectsV2Command({
        Bucket: this.#bucket,
        Prefix: this.#prefix,
        MaxKeys: PAGE,
        ...(token ? { ContinuationToken: token } : {}),
        ...(after !== undefined && !token ? { StartAfter: this.#prefix + after } : {}),
      });
      const page = await this.#client.send(command).catch(explain);
      yield (page.Contents ?? []).map(({ Key = '', Size = 0, ETag = '', LastModified }) => ({
        name: Key.slice(this.#prefix.length),
        size: Size,
        etag: ETag.replaceAll('"', ''),
        modifiedAt: LastModified?.getTime() ?? 0,
      }));
      token = page.NextContinuationToken;
    } while (token !== undefined);
  }

  /** Opens a listed object. Throws when it was replaced after the listing. */
  async open({ name, etag }: SourceObject, signal: AbortSignal): Promise<SourceContent> {
    const Key = this.#prefix + name;
    const input = { Bucket: this.#bucket, Key, IfMatch: `"${etag}"` };
    const command = new this.#sdk.GetObjectCommand(input);
    return contentOf(await this.#client.send(command, { abortSignal: signal }).catch(explain));
  }

  close(): void {
    this.#client.destroy();
  }
}

function contentOf(got: GetObjectCommandOutput): SourceContent {
  // The encoding of chunk-signed uploads, which the stored bytes do not have.
  const contentEncoding = got.ContentEncoding?.split(',')
    .map((each) => each.trim())
    .filter((each) => each !== 'aws-chunked')
    .join(', ');
  const fields = {
    contentType: got.ContentType,
    metadata: got.Metadata,
    cacheControl: got.CacheControl,
    contentDisposition: got.ContentDisposition,
    contentEncoding: contentEncoding || undefined,
    contentLanguage: got.ContentLanguage,
  };
  const known = Object.entries(fields).filter(([, value]) => value !== undefined);
  return { ...Object.fromEntries(known), body: got.Body as AsyncIterable<Uint8Array> };
}

function explain(error: unknown): never {
  const { name = 'Error', message = '' } = error as Error;
  if (name === 'AbortError') throw error;
  const isTemporary = ['TimeoutError', 'SlowDown', 'ServiceUnavailable'].includes(name);
  if (isTemporary || !('$metadata' in (error as object))) throw error;
  const text = name === 'PreconditionFailed' ? 'it was replaced after it was listed' : message;
  throw new UserError(`S3: ${name}: ${text}`);
}
