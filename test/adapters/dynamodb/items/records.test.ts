/** Every record comes back from its item exactly as it was, whichever optional fields it has. */

import { changeEntry, changeItem } from '../../../../adapters/dynamodb/change-log';
import {
  connectionItem,
  connectionRecord,
} from '../../../../adapters/dynamodb/channel/connections';
import { apiKeyItem, apiKeyRecord } from '../../../../adapters/dynamodb/items/api-key-item';
import { toItem } from '../../../../adapters/dynamodb/items/attributes';
import {
  bucketRecord,
  bucketStats,
  deletedBucket,
  deletedBucketItem,
  directoryItem,
  holderFields,
  lifecycleRules,
  recordItem,
  statsItem,
} from '../../../../adapters/dynamodb/items/bucket-item';
import { linkItem, linkRecord } from '../../../../adapters/dynamodb/items/link-item';
import {
  objectItem,
  objectRecord,
  shownRecord,
} from '../../../../adapters/dynamodb/items/object-item';
import { uploadItem, uploadRecord } from '../../../../adapters/dynamodb/items/upload-item';
import type { ApiKeyRecord } from '../../../../core/access/ports';
import type { Connection } from '../../../../core/channel/ports';
import type { Link } from '../../../../core/links/ports';
import type { ChangeEntry } from '../../../../core/log/ports';
import type { BucketStats } from '../../../../core/store/buckets';
import type { LiveObject } from '../../../../core/store/objects';
import type { Upload } from '../../../../core/store/uploads';
import { shownOf } from '../../../support/fakes/shown';
import {
  AT,
  LATER,
  liveObject,
  newBucket,
  newKey,
  newUpload,
  tombstone,
} from '../../../support/samples';

/** The record with all optional fields, without each one of them, and with none. */
function variants<T extends object>(required: T, optional: Partial<T>): [string, T][] {
  const names = Object.keys(optional) as (keyof T & string)[];
  const without = names.map((name): [string, T] => {
    const { [name]: _, ...rest } = { ...required, ...optional };
    return [`all but ${name}`, rest as T];
  });
  return [['all', { ...required, ...optional }], ...without, ['none', required]];
}

const KEY: Partial<ApiKeyRecord> = {
  ...{ expiresAt: LATER, revokedAt: LATER, createdBy: 'alice', revokedBy: 'bob', tier: 'small' },
  ...{ generation: 0, previousSecretHash: 'ab', previousUntil: LATER, kind: 'session' },
  ...{ actorId: 'sub-1', revision: 0 },
};

test.each(variants(newKey(), KEY))(
  'an API key with %s of its optional fields is kept',
  (_, key) => {
    expect(apiKeyRecord(apiKeyItem(key))).toStrictEqual(key);
  },
);

const LINK: Link = {
  ...{ bucketId: 'id', hash: 'hash', bucket: 'photos', key: 'cat.jpg', uses: 0 },
  ...{ createdAt: AT, expiresAt: LATER, createdBy: 'key-1' },
};

test.each(
  variants(LINK, {
    ...{ version: 3, cursor: 9, maxUses: 0, password: 'salt.hash', disposition: 'inline' },
    ...{ note: '', signer: { keyId: 'key-1', generation: 2 } },
  }),
)('a link with %s of its optional fields is kept', (_, link) => {
  expect(linkRecord(linkItem(link))).toStrictEqual(link);
});

const STAGED = { size: 1, etag: 'e', contentType: 'a/b', headers: { a: 'b' }, metadata: {} };

const UPLOAD: Partial<Upload> = {
  ...{ store: 'content', awaitsCommit: true, staged: { ...STAGED, checksumSha256: 'c=' } },
  askedHeaders: ['cache-control'],
  ...{ signer: { keyId: 'key-1', generation: 2 }, objectExpiresAt: LATER, ifMatch: 'abc' },
  ...{ ifNoneMatch: '*', copyOf: { blob: 'blob', size: 1, etag: 'e' }, size: 0, partSize: 0 },
  ...{ multipartId: 'multi', reason: '', committed: { version: 3, cursor: 9 } },
};

test.each([
  ...variants(newUpload(), UPLOAD),
  ['a staged one without checksum', newUpload({ staged: STAGED })] as [string, Upload],
])('an upload with %s of its optional fields is kept', (_, upload) => {
  expect(uploadRecord(uploadItem(upload))).toStrictEqual(upload);
});

const { checksumSha256, ...rest } = liveObject({ ancestors: [8, 4] });
const BARE: LiveObject = rest;

test.each(variants(BARE, { checksumSha256, by: 'key-1', isPatched: true, expiresAt: LATER }))(
  'an object with %s of its optional fields is kept, and shown',
  (_, object) => {
    const item = objectItem('id', object);
    expect(objectRecord(item)).toStrictEqual(object);
    expect(shownRecord(item)).toStrictEqual(shownOf(object));
  },
);

test.each(variants(tombstone(), { by: 'key-1', cause: 'expired' }))(
  'a tombstone with %s of its optional fields is kept, and shown',
  (_, object) => {
    const item = objectItem('id', object);
    expect(objectRecord(item)).toStrictEqual(object);
    expect(shownRecord(item)).toStrictEqual(shownOf(object));
  },
);

const PUT: ChangeEntry = { type: 'put', bucket: 'photos', cursor: 9, at: AT, object: BARE };

test.each(variants(PUT, { previous: tombstone(), commit: { first: 8, last: 9 } }))(
  'an entry with %s of its optional fields is kept',
  (_, entry) => {
    expect(changeEntry(changeItem('id', entry))).toStrictEqual(entry);
  },
);

const CONNECTION = { id: 'c=', keyId: 'key', connectedAt: 0 };
const RESTRICTION = {
  permissions: [{ buckets: ['photos'], prefix: 'a/', actions: ['read'] }],
  expiresAt: LATER,
} as const;

test.each(
  variants<Omit<Connection, 'subscriptions'>>(CONNECTION, {
    ...{ generation: 0, restriction: RESTRICTION, scope: { bucket: 'photos', prefix: '' } },
  }),
)('a connection with %s of its optional fields is kept', (_, connection) => {
  const subscriptions = new Map();
  expect(connectionRecord(connectionItem(connection))).toStrictEqual({
    ...connection,
    subscriptions,
  });
});

const HOLDER = { actor: 'alice', actorId: 'sub-1', keyId: 'key' };

test.each([
  ['an open bucket', {}, {}],
  ['a closing bucket', { closing_at: LATER }, { closingAt: LATER }],
  [
    'a closing bucket and who closes it',
    { closing_at: LATER, closing_by: holderFields(HOLDER) },
    { closingAt: LATER, closingBy: HOLDER },
  ],
])('bucketRecord returns the fields of %s and no others', (_, attributes, fields) => {
  const record = newBucket({ cursor: 7 });
  const item = { ...recordItem(record), ...toItem(attributes) };
  expect(bucketRecord(item)).toStrictEqual({ ...record, ...fields });
});

const STATS: BucketStats = {
  ...{ id: 'id', oldest: 3, trimmed: 2, published: 9, objectCount: 4, totalSize: 50 },
};
const DIGEST = { sha256: 's', since: 0, at: 9 };
const LEASE = { pusher: 'a', push_until: 0 };

test.each([
  ['without a lease', {}, {}],
  ['with a lease', LEASE, { pushLease: { holder: 'a', until: 0 } }],
  ['with half a lease', { pusher: 'a' }, {}],
  ['with the other half of a lease', { push_until: 5 }, {}],
  ['with a digest', { digest: DIGEST }, { digest: DIGEST }],
])('bucketStats returns the fields of a bucket %s and no others', (_, attributes, fields) => {
  const item = { ...statsItem('photos', STATS), ...toItem(attributes) };
  expect(bucketStats(item)).toStrictEqual({ ...STATS, ...fields });
});

test('a deleted bucket is kept, and counts as untrimmed when its item has no `trimmed`', () => {
  const deleted = { name: 'photos', id: 'id', cursor: 9, trimmed: 4, deletedAt: AT };
  const { trimmed: _, ...earlier } = deletedBucketItem(deleted);
  expect(deletedBucket(deletedBucketItem(deleted))).toStrictEqual(deleted);
  expect(deletedBucket(earlier)).toStrictEqual({ ...deleted, trimmed: 1 });
});

test('a directory entry has no lifecycle attribute when there are no rules', () => {
  const rules = [{ prefix: '', expireAfterDays: 7 }];
  expect(lifecycleRules(directoryItem({ name: 'photos', rules }))).toStrictEqual(rules);
  expect(directoryItem({ name: 'photos', rules: [] })).not.toHaveProperty('lifecycle');
  expect(lifecycleRules(directoryItem({ name: 'photos', rules: [] }))).toStrictEqual([]);
});
