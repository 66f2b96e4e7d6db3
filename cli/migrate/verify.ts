/** Compares a bucket of both services. */
import { createHash } from 'node:crypto';
import type { ObjectDescriptor } from '../../client/index';
import { eachConcurrently } from '../shared/several';
import type { Migration } from './options';
import { hasExpired, hasSameContent, hasSameDescription, pairsOf } from './pairs';
import type { Service } from './services';

/**
 * Compares every object of the source, as of the saved cursor, with that of the target. Contents
 * are read where the descriptors do not tell. Returns how many objects differ.
 */
export async function verifyBucket(migration: Migration, bucket: string): Promise<number> {
  const { source, target, state, options, report, signal } = migration;
  const { cursor = 0, isShared = false } = state.of(bucket) ?? {};
  const pairs = pairsOf(
    source.client.objects(bucket, { asOf: cursor, signal }),
    target.client.objects(bucket, { signal }),
  );
  const counts = { same: 0, different: 0, others: 0 };
  await eachConcurrently(pairs, options.parallel, async ({ key, from, to }) => {
    // Both services delete it within the hour.
    if ([from, to].some((each) => each && hasExpired(each))) return;
    if (!from && isShared) {
      counts.others += 1;
      return;
    }
    const difference = await differenceOf(migration, from, to);
    if (difference === undefined) counts.same += 1;
    else {
      counts.different += 1;
      await report.differs(bucket, key, difference);
    }
  });
  if (counts.others > 0) {
    report.note(`${counts.others} other objects of ${bucket} were not compared`);
  }
  if (counts.different === 0) await report.verified(bucket, counts.same, cursor);
  return counts.different;
}

async function differenceOf(
  { source, target, signal }: Migration,
  from: ObjectDescriptor | undefined,
  to: ObjectDescriptor | undefined,
): Promise<string | undefined> {
  if (!from) return 'only the other service has it';
  if (!to) return 'the other service does not have it';
  if (from.size !== to.size) return `has ${to.size} bytes there, and ${from.size} here`;
  if (!hasSameDescription(from, to)) return 'has another content type, metadata or expiry there';
  const isSame =
    hasSameContent(from, to) ??
    (await sha256Of(source, from, signal)) === (await sha256Of(target, to, signal));
  return isSame ? undefined : 'has another content there';
}

async function sha256Of(
  { client }: Service,
  object: ObjectDescriptor,
  signal: AbortSignal,
): Promise<string> {
  if (object.checksum_sha256 !== undefined) return object.checksum_sha256;
  const hash = createHash('sha256');
  const target = new WritableStream<Uint8Array>({
    write(chunk) {
      hash.update(chunk);
    },
  });
  const { bucket, key, version } = object;
  await client.download(bucket, key, target, { version, signal });
  return hash.digest('base64');
}
