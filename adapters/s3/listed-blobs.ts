import type { Blobs, ListedBlob } from '../../core/store/blobs';
import type { Page } from '../../core/pages';
import { S3Blobs } from './blobs';
import type { S3Connection } from './s3-connection';

/** The whole Blobs port, for the functions that list: with the reader comes the SDK's client. */
export class ListedS3Blobs extends S3Blobs implements Blobs {
  constructor(
    connection: S3Connection,
    bucketName: string,
    private readonly reader: Pick<Blobs, 'list'>,
  ) {
    super(connection, bucketName);
  }

  list(prefix: string, startAfter?: string): Promise<Page<ListedBlob>> {
    return this.reader.list(prefix, startAfter);
  }
}
