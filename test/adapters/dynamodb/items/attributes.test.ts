/** What items hold beside the fields of records, and items that a record cannot be read from. */

import { apiKeyItem } from '../../../../adapters/dynamodb/items/api-key-item';
import { fromItem, type Item, toItem } from '../../../../adapters/dynamodb/items/attributes';
import { linkItem } from '../../../../adapters/dynamodb/items/link-item';
import { hourAttribute, keyTtl } from '../../../../adapters/dynamodb/items/rate-item';
import type { ApiKeyRecord } from '../../../../core/access/ports';
import { AT, LATER, NOW, newKey } from '../../../support/samples';

const DAY = 86_400;

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

describe('the time from which DynamoDB may remove', () => {
  const ttlOf = (overrides: Partial<ApiKeyRecord>) => apiKeyItem(newKey(overrides)).ttl?.N;

  test('the key of a session is a week and an hour after its end; other keys stay', () => {
    const end = String(NOW + 6 + 7 * DAY + 3600);
    expect(ttlOf({ kind: 'session', expiresAt: LATER })).toBe(end);
    expect(ttlOf({ kind: 'session' })).toBeUndefined();
    expect(ttlOf({ expiresAt: LATER })).toBeUndefined();
    expect(ttlOf({})).toBeUndefined();
  });

  test('a link is one second after its end', () => {
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
