/**
 * The same bytes and requests elsewhere: without change log, channel, conditions across requests,
 * permissions by key.
 */
import { priceOf } from './bill';
import type { Workload } from './workload';

export function rivalsOf(workload: Workload): Readonly<Record<string, number>> {
  const { puts, gets, heads, deletes, lists, gb, size } = workload;
  const out = (gets * size) / 1e9;
  const writes = puts + lists;
  const reads = gets + heads;
  return {
    'S3 alone':
      priceOf('s3Gb', gb) +
      priceOf('s3Writes', writes) +
      priceOf('s3Reads', reads) +
      priceOf('transferGb', out),
    // Deletes are free at all three.
    'Cloudflare R2': priceOf('r2Gb', gb) + priceOf('r2Writes', writes) + priceOf('r2Reads', reads),
    // As if nothing were in its cache.
    'Vercel Blob':
      priceOf('vercelGb', gb) +
      priceOf('vercelWrites', writes) +
      priceOf('vercelReads', reads) +
      priceOf('vercelEdgeRequests', reads + writes + deletes) +
      priceOf('vercelTransferGb', out),
  };
}
