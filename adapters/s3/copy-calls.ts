/** The requests to S3 that copy bytes within a bucket, whole or in parts. */

import type { CopySource } from '../../core/store/uploads';
import type { CopiedPart } from '../../core/store/copies';
import type { AwsRequest } from '../aws/aws-client';
import { elementOf, escapeXml, type S3Connection } from './s3-connection';

export interface CopyTarget {
  readonly connection: S3Connection;
  readonly bucketName: string;
  readonly blob: string;
}

export interface PartsTarget extends CopyTarget {
  readonly uploadId: string;
}

/** 1 UploadPartCopy. Returns the etag of the part. */
export async function copyPart(
  target: PartsTarget,
  source: CopySource,
  { number, start, end }: CopiedPart,
): Promise<string> {
  const headers = {
    ...sourceHeaders(target, source),
    'x-amz-copy-source-range': `bytes=${start}-${end}`,
  };
  const query = { partNumber: String(number), uploadId: target.uploadId };
  return etagIn(await call(target, { method: 'PUT', query, headers }));
}

/** 1 CompleteMultipartUpload of the parts 1, 2, 3 … Returns the response. */
export function completeParts(target: PartsTarget, etags: readonly string[]): Promise<string> {
  const parts = etags.map(
    (etag, index) =>
      `<Part><PartNumber>${index + 1}</PartNumber><ETag>${escapeXml(etag)}</ETag></Part>`,
  );
  return call(target, {
    method: 'POST',
    query: { uploadId: target.uploadId },
    headers: { 'content-type': 'application/xml', 'if-none-match': '*' },
    body: `${COMPLETE}${parts.join('')}</CompleteMultipartUpload>`,
  });
}

const COMPLETE = '<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">';

export function sourceHeaders(
  { connection, bucketName }: Pick<CopyTarget, 'connection' | 'bucketName'>,
  { blob, etag }: CopySource,
) {
  return {
    // The path of the bucket's own address has no bucket in it.
    'x-amz-copy-source': `${bucketName}${connection.pathOf(blob)}`,
    'x-amz-copy-source-if-match': `"${etag}"`,
  };
}

/** Returns the body of the response, which may report an error although its status is 200. */
export async function call(
  { connection, bucketName, blob }: CopyTarget,
  request: Pick<AwsRequest, 'method' | 'query' | 'headers' | 'body'>,
): Promise<string> {
  const address = connection.addressOf(bucketName, blob);
  const response = await connection.client.call({ ...address, ...request, mayFailLate: true });
  return response.body.toString();
}

/** Unquoted. */
export function etagIn(xml: string): string {
  const etag = elementOf(xml, 'ETag');
  if (etag === undefined) throw new Error('S3 returned no etag of a copy');
  return etag.replace(/^"(.*)"$/, '$1');
}
