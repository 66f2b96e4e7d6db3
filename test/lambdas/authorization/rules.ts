/**
 * The rules of docs/api.md, "Keys and permissions", once more: written from that page alone, so
 * that the service is compared with them. Imports nothing.
 */

export interface Granted {
  readonly buckets: readonly string[];
  readonly prefix?: string;
  readonly actions: readonly string[];
}

/** What a request is about. `key` begins with `prefix`. */
export interface Target {
  readonly bucket: string;
  readonly key: string;
  readonly prefix: string;
}

/** `hidden`: 404, as for what does not exist. */
export type Decision = 'allowed' | 'forbidden' | 'hidden';

const reaches = ({ buckets }: Granted, bucket: string) =>
  buckets.some((b) => (b.endsWith('*') ? bucket.startsWith(b.slice(0, -1)) : b === bucket));

/** For each operation whether the holder of the permissions may do it. */
export function decide(operation: string, who: readonly Granted[], at: Target): Decision {
  const { bucket, key, prefix } = at;
  const here = who.filter((p) => reaches(p, bucket));
  const some = (action: string) => here.some((p) => p.actions.includes(action));
  const may = (where: string, ...actions: string[]) =>
    actions.every((a) =>
      here.some((p) => p.actions.includes(a) && where.startsWith(p.prefix ?? '')),
    );
  const overlaps = ({ prefix: p = '' }: Granted) => p.startsWith(prefix) || prefix.startsWith(p);
  const seen = (isSeen: boolean): Decision => (isSeen ? 'allowed' : 'hidden');
  const allow = (isAllowed: boolean): Decision => (isAllowed ? 'allowed' : 'forbidden');
  const consumer = () => (some('sync') ? seen(may(prefix, 'sync')) : 'forbidden');
  const rules: Readonly<Record<string, () => Decision>> = {
    listBuckets: () => 'allowed',
    createBucket: () => allow(may('', 'create_bucket')),
    getBucket: () => allow(here.length > 0),
    updateBucket: () => allow(may('', 'delete')),
    deleteBucket: () => allow(may('', 'delete_bucket')),
    listConsumers: () => allow(some('sync')),
    getConsumer: consumer,
    putConsumer: () => allow(may(prefix, 'sync')),
    deleteConsumer: consumer,
    listObjects: () => allow(here.some((p) => p.actions.includes('list') && overlaps(p))),
    deleteObjects: () => allow(may(prefix, 'delete')),
    getObject: () => allow(may(key, 'read')),
    putObject: () => allow(may(key, 'write')),
    deleteObject: () => allow(may(key, 'delete')),
    'commit put': () => allow(may(key, 'write')),
    'commit delete': () => allow(may(key, 'delete')),
    'commit patch': () => allow(may(key, 'write', 'read')),
    'commit copy': () => allow(may(`${prefix}new`, 'write') && may(key, 'read')),
    'commit move': () => allow(may(`${prefix}new`, 'write') && may(key, 'read', 'delete')),
    restoreObjects: () => allow(may(prefix, 'list', 'read', 'write', 'delete')),
    'signUrl GET': () => allow(may(key, 'sign', 'read')),
    'signUrl PUT': () => allow(may(key, 'sign', 'write')),
    'signUrl SYNC': () => allow(may(prefix, 'sign', 'sync')),
    getUpload: () => seen(may(key, 'write')),
    createLink: () => allow(may(key, 'sign', 'read')),
    listLinks: () => allow(some('sign')),
    deleteLink: () => seen(may(key, 'sign')),
    createToken: () => allow(may(prefix, 'read', 'list')),
    readChanges: () => allow(may(prefix, 'sync')),
    'open link': () => seen(may(key, 'sign', 'read')),
  };
  const rule = rules[operation];
  if (!rule) throw new Error(`the rules do not say who may do ${operation}`);
  return rule();
}

/** Of these, what a list shows to the holder of the permissions. */
export function shown<T extends Target>(
  action: string,
  who: readonly Granted[],
  all: readonly T[],
) {
  return all.filter(({ bucket, key }) =>
    who.some(
      (p) => p.actions.includes(action) && reaches(p, bucket) && key.startsWith(p.prefix ?? ''),
    ),
  );
}

/** Whether somebody who sees the bucket sees how much it holds, too. */
export const seesTotals = (who: readonly Granted[], bucket: string) =>
  who.some((p) => reaches(p, bucket) && !p.prefix);
