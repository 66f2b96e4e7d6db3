/** What items hold beside the fields of records, and items that a record cannot be read from. */

import { changeEntry, changeItem } from '../../../../adapters/dynamodb/change-log';
import { apiKeyItem } from '../../../../adapters/dynamodb/items/api-key-item';
import { fromItem, type Item, toItem } from '../../../../adapters/dynamodb/items/attributes';
import { linkItem, linkRecord } from '../../../../adapters/dynamodb/items/link-item';
import {
  objectItem,
  objectRecord,
  SHOWN_ATTRIBUTES,
  shownRecord,
} from '../../../../adapters/dynamodb/items/object-item';
import { hourAttribute, keyTtl, useOf } from '../../../../adapters/dynamodb/items/rate-item';
import { uploadItem, uploadRecord } from '../../../../adapters/dynamodb/items/upload-item';
import type { ApiKeyRecord } from '../../../../core/access/ports';
import { AT, LATER, liveObject, NOW, newKey, newUpload, tombstone } from '../../../support/samples';

const DAY = 86_400;

function without(item: Item, attribute: string): Item {
  const { [attribute]: _, ...rest } = item;
  return rest;
}

describe('fields', () => {
  test('of every type are kept, and those that are undefined are absent', () => {
    const map = { text: 'ä', empty: '', number: -0.5, zero: 0, list: [1, ['a', {}], []], none: {} };
    expect(fromItem(toItem({ ...map, map, absent: undefined }))).toStrictEqual({ ...map, map });
    expect(toItem({ a: 'x', b: 1, c: [2], d: { e: 'y' }, f: undefined })).toStrictEqual({
      ...{ a: { S: 'x' }, b: { N: '1' }, c: { L: [{ N: '2' }] }, d: { M: { e: { S: 'y' } } } },
    });
  });

  test.each(['__proto__', 'constructor'])('named %s are kept as any other', (name) => {
    const fields = JSON.parse(`{"${name}":"a","other":"b"}`);
    const found = fromItem<Record<string, string>>(toItem(fields));
    expect(Object.entries(found)).toEqual(Object.entries(fields));
    expect(Object.getPrototypeOf(found)).toBe(Object.prototype);
  });

  test('of a type that is never written cannot be read', () => {
    expect(() => fromItem({ a: { S: '' }, b: { BOOL: true } })).toThrow('BOOL');
    expect(fromItem({ a: { S: 'x' }, b: undefined } as unknown as Item)).toStrictEqual({ a: 'x' });
  });
});

describe('a record without an attribute', () => {
  const LIVE = objectItem('id', liveObject());
  const GONE = objectItem('id', tombstone());
  const OPTIONAL = ['bucket_id', 'state', 'checksum_sha256'];
  const required = (item: Item) => Object.keys(item).filter((name) => !OPTIONAL.includes(name));
  const isShown = (name: string) => SHOWN_ATTRIBUTES.includes(name);

  test.each([...required(LIVE)])('%s is no object', (attribute) => {
    const item = without(LIVE, attribute);
    expect(() => objectRecord(item)).toThrow(new RegExp(` ${attribute}$`));
    if (isShown(attribute)) expect(() => shownRecord(item)).toThrow(attribute);
    else expect(shownRecord(item)).toEqual(shownRecord(LIVE));
  });

  test.each([...required(GONE)])('%s is no tombstone', (attribute) => {
    const item = without(GONE, attribute);
    expect(() => objectRecord(item)).toThrow(new RegExp(` ${attribute}$`));
    if (isShown(attribute)) expect(() => shownRecord(item)).toThrow(attribute);
    else expect(shownRecord(item)).toEqual(shownRecord(GONE));
  });

  test.each(['bucket', 'at', 'type', 'object'])('%s is no entry of a log', (attribute) => {
    const entry = {
      type: 'put',
      bucket: 'photos',
      cursor: 9,
      at: AT,
      object: liveObject(),
    } as const;
    const item = without(changeItem('id', entry), attribute);
    expect(() => changeEntry(item)).toThrow(`entry 9 in id#1 has no ${attribute}`);
  });

  test('generation is of the first secret of its signer', () => {
    const signer = { keyId: 'key-1', generation: 2 };
    const link = {
      ...{ bucketId: 'id', hash: 'h', bucket: 'photos', key: 'a', uses: 0, createdBy: 'key-1' },
      ...{ createdAt: AT, expiresAt: LATER, signer },
    };
    const first = { signer: { keyId: 'key-1', generation: 0 } };
    expect(linkRecord(without(linkItem(link), 'generation'))).toMatchObject(first);
    const upload = without(uploadItem(newUpload({ signer })), 'generation');
    expect(uploadRecord(upload)).toMatchObject(first);
  });

  test.each(['version', 'cursor'])('%s is no committed upload', (attribute) => {
    const upload = newUpload({ committed: { version: 1, cursor: 2 } });
    const found = uploadRecord(without(uploadItem(upload), attribute));
    expect(found).not.toHaveProperty('committed');
  });
});

describe('the time from which DynamoDB may remove', () => {
  const ttlOf = (overrides: Partial<ApiKeyRecord>) => apiKeyItem(newKey(overrides)).ttl?.N;

  test('the key of a session is a week and an hour after its end; other keys stay', () => {
    const end = String(NOW + 6 + 7 * DAY + 3600);
    expect(ttlOf({ kind: 'session', expiresAt: LATER })).toBe(end);
    expect(ttlOf({ kind: 'session' })).toBeUndefined();
    expect(ttlOf({ expiresAt: LATER })).toBeUndefined();
    expect(ttlOf({})).toBeUndefined();
  });

  test('a link is the second after its end', () => {
    const link = {
      ...{ bucketId: 'id', hash: 'h', bucket: 'photos', key: 'a', uses: 0, createdBy: 'key-1' },
      ...{ createdAt: AT, expiresAt: LATER },
    };
    expect(linkItem(link).ttl).toEqual({ N: String(NOW + 6) });
  });

  test('the counts of an hour is 90 days later, and an unused rate item 400 days later', () => {
    expect(hourAttribute('2026-01-01T07:00:00.000Z')).toEqual({
      ...{ day: '2026-01-01', attribute: 'hour_07', ttl: NOW + 7 * 3600 + 90 * DAY },
    });
    expect(keyTtl(NOW * 1000 + 1)).toBe(NOW + 1 + 400 * DAY);
  });
});

test('the use of a key has the counts of its item, of which there may be none', () => {
  const last_used_at = { S: AT };
  expect(useOf(undefined)).toBeUndefined();
  expect(useOf({ used_read: { N: '1' } })).toBeUndefined();
  expect(useOf({ last_used_at })).toStrictEqual({ lastUsedAt: AT, counts: {} });
  const item = {
    last_used_at,
    used_read: { N: '1' },
    used_limited: { N: '0' },
    full_read: { N: '9' },
  };
  expect(useOf(item)).toStrictEqual({ lastUsedAt: AT, counts: { read: 1, limited: 0 } });
});
