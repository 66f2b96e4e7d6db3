import {
  HeadObjectCommand,
  type HeadObjectCommandOutput,
  ListObjectsV2Command,
  type S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import type { BlobProperties, Blobs, ListedBlob } from '../../core/store/blobs';
import type { Page } from '../../core/pages';

/** The limit of ListObjectsV2. */
const MAX_KEYS = 1000;

/**
 * Reads blobs by the SDK's client: for commands, which take credentials from profiles, and for
 * lists, whose XML the SDK parses.
 */
export class S3BlobReader implements Pick<Blobs, 'head' | 'list'> {
  constructor(
    private readonly client: S3Client,
    private readonly bucketName: string,
  ) {}

  /** 1 HeadObject. */
  async head(blob: string): Promise<BlobProperties | undefined> {
    const input = { Bucket: this.bucketName, Key: blob, ChecksumMode: 'ENABLED' } as const;
    try {
      return propertiesOf(await this.client.send(new HeadObjectCommand(input)));
    } catch (error) {
      // The response to HEAD has no body with a code, so its error is named by the status.
      if (error instanceof S3ServiceException && error.name === 'NotFound') return undefined;
      throw error;
    }
  }

  /** 1 ListObjectsV2. */
  async list(prefix: string, startAfter?: string): Promise<Page<ListedBlob>> {
    const {
      Contents = [],
      EncodingType,
      IsTruncated,
    } = await this.client.send(
      new ListObjectsV2Command({
        Bucket: this.bucketName,
        Prefix: prefix,
        StartAfter: startAfter,
        MaxKeys: MAX_KEYS,
        EncodingType: 'url',
      }),
    );
    const items = Contents.map(({ Key, Size, LastModified }) => ({
      // Servers that do not support the encoding do not confirm it.
      blob: EncodingType === 'url' ? decodeKey(Key ?? '') : (Key ?? ''),
      size: Size ?? 0,
      lastModified: isoDate(LastModified),
    }));
    return { items, more: IsTruncated === true };
  }
}

function propertiesOf(found: HeadObjectCommandOutput): BlobProperties {
  const headers = {
    'cache-control': found.CacheControl,
    'content-disposition': found.ContentDisposition,
    'content-encoding': found.ContentEncoding,
    'content-language': found.ContentLanguage,
  };
  const { ChecksumSHA256: checksum } = found;
  return {
    size: found.ContentLength ?? 0,
    etag: (found.ETag ?? '').replace(/^"(.*)"$/, '$1'),
    contentType: found.ContentType,
    headers: Object.fromEntries(
      Object.entries(headers).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, value]],
      ),
    ),
    metadata: found.Metadata ?? {},
    // Of a multipart upload S3 has only a checksum of the parts' checksums, not of the bytes.
    ...(checksum && !checksum.includes('-') ? { checksumSha256: checksum } : {}),
    lastModified: isoDate(found.LastModified),
  };
}

/** Decodes EncodingType `url`: the encoding of forms, which can express every key in XML. */
function decodeKey(key: string): string {
  return decodeURIComponent(key.replaceAll('+', ' '));
}

function isoDate(date: Date | undefined): string {
  return (date ?? new Date(0)).toISOString();
}
