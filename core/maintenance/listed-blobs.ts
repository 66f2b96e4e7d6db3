/**
 * Finds the blobs of a page of records in S3's list. S3 and DynamoDB list in different orders
 * around `/`, so the lists cannot be merged; but mostly the blobs of neighbouring records are
 * neighbours.
 */

import { compareNames } from '../names';
import type { Blobs } from '../store/blobs';
import type { ObjectRecord } from '../store/objects';
import { liveOf } from '../store/objects';

/** A request for a list costs as much as 12.5 requests for one object. */
const WORTH_A_LIST = 13;

/**
 * The blobs of the live records that S3's list shows. A blob that is not among them may exist: the
 * search ends where a further list costs more than asking for each blob that is left. AWS calls: 1
 * ListObjectsV2 per prefix and 1000 blobs, superseded ones included, as long as it is worth it.
 */
export async function listedBlobs(
  blobs: Pick<Blobs, 'list'>,
  records: readonly ObjectRecord[],
): Promise<ReadonlySet<string>> {
  const shown = new Set<string>();
  const wanted = records.flatMap((record) => liveOf(record)?.blob ?? []);
  for (const prefix of ['objects/', 'uploads/']) {
    let left = wanted.filter((blob) => blob.startsWith(prefix)).sort(compareNames);
    for (let found = WORTH_A_LIST; found >= WORTH_A_LIST && left.length >= WORTH_A_LIST; ) {
      // The list begins after this name, which is below the first blob: a list with the blob.
      const { items, more } = await blobs.list(prefix, left[0]?.slice(0, -1));
      const names = new Set(items.map(({ blob }) => blob));
      const here = left.filter((blob) => names.has(blob));
      for (const blob of here) shown.add(blob);
      found = here.length;
      const last = items.at(-1)?.blob;
      if (!more || last === undefined) break;
      left = left.filter((blob) => compareNames(blob, last) > 0);
    }
  }
  return shown;
}
