/** Copies within S3: no byte passes through the function. */
import { LIMITS } from '../../../core/limits';
import type { BlobContent, Blobs, CopySource } from '../../../core/objects/blob-ports';
import type { AwsRequest } from '../aws/aws-client';
import { AwsError } from '../aws/aws-error';
import { contentHeaders } from './presigner';
import { elementOf, escapeXml, type S3Connection } from './s3-connection';

export interface CopyDeps {
  readonly connection: S3Connection;
  readonly blobs: Pick<Blobs, 'head' | 'createMultipart' | 'abortMultipart' | 'bucketName'>;
  readonly sizes?: CopySizes;
}

/** Bytes that one call copies: above `single` they are copied in parts, all at the same time. */
export interface CopySizes {
  readonly single: number;
  readonly part: number;
}

/** What is stored with the copy: its checksum is that of the source. */
type CopyContent = Omit<BlobContent, 'checksumSha256'>;

const SIZES: CopySizes = { single: LIMITS.copySingleBytes, part: LIMITS.copyPartBytes };

/**
 * Returns the etag of the copy, or undefined when the source does not exist or has other bytes. AWS
 * calls: 1 CopyObject; for a large source CreateMultipartUpload, 1 UploadPartCopy for each part,
 * CompleteMultipartUpload, and AbortMultipartUpload when it fails. 1 HeadObject more when a
 * response was lost or the source has changed.
 */
export async function copyBlob(
  deps: CopyDeps,
  source: CopySource,
  blob: string,
  content: CopyContent,
): Promise<{ readonly etag: string } | undefined> {
  const { single } = deps.sizes ?? SIZES;
  const copy = source.size <= single ? copyWhole : copyParts;
  try {
    return { etag: await copy(deps, source, blob, content) };
  } catch (error) {
    if (!(error instanceof AwsError)) throw error;
    if (error.name === 'NoSuchKey') return undefined;
    if (!UNCERTAIN.has(error.name)) throw error;
    // The name is used once: a blob there is of an attempt whose response was lost. Without one,
    // the condition that failed is that of the source.
    const existing = await deps.blobs.head(blob);
    if (existing?.size === source.size) return { etag: existing.etag };
    if (existing === undefined && error.name === 'PreconditionFailed') return undefined;
    throw error;
  }
}

const UNCERTAIN = new Set(['PreconditionFailed', 'ConditionalRequestConflict', 'NoSuchUpload']);

async function copyWhole(
  deps: CopyDeps,
  source: CopySource,
  blob: string,
  content: CopyContent,
): Promise<string> {
  const headers = {
    ...contentHeaders(content),
    ...sourceHeaders(deps, source),
    'x-amz-metadata-directive': 'REPLACE',
    'if-none-match': '*',
  };
  return etagIn(await call(deps, blob, { method: 'PUT', headers }));
}

async function copyParts(
  deps: CopyDeps,
  source: CopySource,
  blob: string,
  content: CopyContent,
): Promise<string> {
  const uploadId = await deps.blobs.createMultipart(blob, content);
  try {
    const { part } = deps.sizes ?? SIZES;
    const starts = Array.from({ length: Math.ceil(source.size / part) }, (_, n) => n * part);
    // Waits for all in any case: a function must not be frozen with a call in flight.
    const copies = await Promise.allSettled(
      starts.map(async (start, index) => {
        const end = Math.min(start + part, source.size) - 1;
        const headers = {
          ...sourceHeaders(deps, source),
          'x-amz-copy-source-range': `bytes=${start}-${end}`,
        };
        const query = { partNumber: String(index + 1), uploadId };
        return etagIn(await call(deps, blob, { method: 'PUT', query, headers }));
      }),
    );
    const etags = copies.map((copy) => {
      if (copy.status === 'rejected') throw copy.reason;
      return copy.value;
    });
    return await complete(deps, blob, uploadId, etags);
  } catch (error) {
    // S3's rule removes what is left of the upload otherwise.
    await deps.blobs.abortMultipart(blob, uploadId).catch(() => undefined);
    throw error;
  }
}

async function complete(
  deps: CopyDeps,
  blob: string,
  uploadId: string,
  etags: readonly string[],
): Promise<string> {
  const parts = etags.map(
    (etag, index) =>
      `<Part><PartNumber>${index + 1}</PartNumber><ETag>${escapeXml(etag)}</ETag></Part>`,
  );
  const body = `${COMPLETE}${parts.join('')}</CompleteMultipartUpload>`;
  const headers = { 'content-type': 'application/xml', 'if-none-match': '*' };
  return etagIn(await call(deps, blob, { method: 'POST', query: { uploadId }, headers, body }));
}

const COMPLETE = '<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">';

function sourceHeaders({ connection, blobs }: CopyDeps, { blob, etag }: CopySource) {
  return {
    // The path of the bucket's own address has no bucket in it.
    'x-amz-copy-source': `${blobs.bucketName}${connection.pathOf(blob)}`,
    'x-amz-copy-source-if-match': `"${etag}"`,
  };
}

async function call(
  { connection, blobs }: CopyDeps,
  blob: string,
  request: Pick<AwsRequest, 'method' | 'query' | 'headers' | 'body'>,
): Promise<string> {
  const address = connection.addressOf(blobs.bucketName, blob);
  const response = await connection.client.call({ ...address, ...request, mayFailLate: true });
  return response.body.toString();
}

/** Unquoted. */
function etagIn(xml: string): string {
  const etag = elementOf(xml, 'ETag');
  if (etag === undefined) throw new Error('S3 returned no etag of a copy');
  return etag.replace(/^"(.*)"$/, '$1');
}
