/** What the dashboard reads of the past: the log backwards, cursors by time, audit records. */
import { StowageError } from '../../client/errors';
import type { AuditRecord } from '../../dashboard/src/api/admin';
import { csvOf, filteredPages, fits, NO_FILTER } from '../../dashboard/src/audit/audit-filter';
import { changesBefore } from '../../dashboard/src/changes/read-changes';
import { cursorAt } from '../../dashboard/src/history/past';
import { concernsOf, readConsumers, totalOf } from '../../dashboard/src/overview/overview';

const START = Date.parse('2026-11-20T00:00:00.000Z');

/** A service that keeps changes from `oldest` to `head`, one each minute, in pages of three. */
function serviceWith({ oldest, head }: { readonly oldest: number; readonly head: number }) {
  const requests: number[] = [];
  const changeAt = (cursor: number) => ({
    cursor,
    type: 'put',
    object: { key: `k${cursor}`, updated_at: new Date(START + cursor * 60_000).toISOString() },
  });
  const storage = {
    changes: async (_bucket: string, options: { cursor: number; limit: number }) => {
      const { cursor, limit } = options;
      requests.push(cursor);
      if (cursor + 1 < oldest) {
        throw new StowageError('cursor_expired', 'gone', { details: { oldest, head } });
      }
      const to = Math.min(head, cursor + Math.min(limit, 3));
      const changes = Array.from({ length: to - cursor }, (_, n) => changeAt(cursor + 1 + n));
      return { bucket_id: 'i', changes, to, has_more: to < head };
    },
  };
  return { storage: storage as never, requests };
}

describe('earlier changes', () => {
  const cursorsOf = ({ changes }: { readonly changes: readonly { cursor: number }[] }) =>
    changes.map(({ cursor }) => cursor);

  test('are read over several pages, newest first', async () => {
    const { storage } = serviceWith({ oldest: 1, head: 20 });
    const part = await changesBefore(storage, 'photos', 15, { limit: 5 });
    expect(cursorsOf(part)).toEqual([15, 14, 13, 12, 11]);
    expect(part).toMatchObject({ after: 10, isOldest: false });
  });

  test('end with the first change', async () => {
    const { storage } = serviceWith({ oldest: 1, head: 20 });
    const part = await changesBefore(storage, 'photos', 2, { limit: 5 });
    expect(cursorsOf(part)).toEqual([2, 1]);
    expect(part.isOldest).toBe(true);
  });

  test('end with the oldest change that is kept', async () => {
    const { storage } = serviceWith({ oldest: 9, head: 20 });
    const part = await changesBefore(storage, 'photos', 10, { limit: 5 });
    expect(cursorsOf(part)).toEqual([10, 9]);
    expect(part).toMatchObject({ after: 8, isOldest: true });
  });

  test('end when none of them is kept any more', async () => {
    const { storage } = serviceWith({ oldest: 15, head: 20 });
    const part = await changesBefore(storage, 'photos', 10, { limit: 5 });
    expect(cursorsOf(part)).toEqual([]);
    expect(part.isOldest).toBe(true);
  });
});

test.each([
  [-1, 4],
  [5, 5],
  [7.5, 7],
  [99, 1000],
])('cursorAt returns the last cursor up to minute %d', async (minute, expected) => {
  const { storage, requests } = serviceWith({ oldest: 5, head: 1000 });
  const span = { first: 4, last: 1000 };
  const time = START + (minute === 99 ? 5000 : minute) * 60_000;
  const signal = new AbortController().signal;
  expect(await cursorAt(storage, 'photos', { span, time }, signal)).toBe(expected);
  expect(requests.length).toBeLessThanOrEqual(11);
});

describe('audit records', () => {
  const record = (fields: Partial<AuditRecord>): AuditRecord => ({
    id: 'r',
    at: '2026-11-20T10:00:00.000Z',
    actor: 'alice',
    actor_id: 'a',
    action: 'create',
    key_id: 'MTivvttCEgQl',
    details: { name: 'nightly import' },
    ...fields,
  });

  test.each([
    [{ ...NO_FILTER, text: 'NIGHTLY' }, true],
    [{ ...NO_FILTER, text: 'weekly' }, false],
    [{ ...NO_FILTER, actor: 'bob' }, false],
    [{ ...NO_FILTER, kind: 'revoke' as const }, false],
    [{ ...NO_FILTER, since: Date.parse('2026-11-20T10:00:00.001Z') }, false],
  ])('fit the filter %j: %s', (filter, expected) => {
    expect(fits(record({}), filter)).toBe(expected);
  });

  test('of sign-ins are left out unless they are asked for', () => {
    const session = record({ action: 'session' });
    expect(fits(session, NO_FILTER)).toBe(false);
    expect(fits(session, { ...NO_FILTER, kind: 'all' })).toBe(true);
  });

  test('are read until they are older than the filter wants', async () => {
    const read = filteredPages(
      async (next) => ({
        items: [record(next === undefined ? {} : { at: '2026-11-01T00:00:00.000Z' })],
        next: 'second',
      }),
      { ...NO_FILTER, since: Date.parse('2026-11-10T00:00:00Z') },
    );
    expect((await read(undefined)).next).toBe('second');
    expect(await read('second')).toEqual({ items: [] });
  });

  test('are saved as CSV whose names are no formulas', () => {
    const csv = csvOf([record({ actor: '=HYPERLINK("x")', details: { name: 'a,b' } })]);
    expect(csv.split('\r\n')[1]).toBe(
      `2026-11-20T10:00:00.000Z,"'=HYPERLINK(""x"")",a,create,MTivvttCEgQl,r,"{""name"":""a,b""}"`,
    );
  });
});

describe('the overview', () => {
  const consumer = (fields: object) =>
    ({ name: 'indexer', lag: 3, lag_seconds: 600, behind_retention: false, ...fields }) as never;

  test('names the follower that has to start over before the one that is late', () => {
    const consumers = [
      { bucket: 'photos', consumers: [consumer({}), consumer({ behind_retention: true })] },
    ];
    const texts = concernsOf({ consumers }, START).map(({ text }) => text);
    expect(texts[0]).toContain('has to start over');
    expect(texts[1]).toContain('is behind by 3 changes, 10 minutes');
  });

  test('names keys that end within a week, and those that were refused today', () => {
    const key = (id: string, days: number) =>
      ({
        id,
        name: id,
        state: 'active',
        expires_at: new Date(START + days * 86_400_000).toISOString(),
      }) as never;
    const usage = { keys: [{ key: key('busy', 90), hours: [{ limited: 4 }] }], leftOut: 0 };
    const facts = { keys: [key('ending', 3), key('lasting', 30)], usage: usage as never };
    const texts = concernsOf(facts, START).map(({ text }) => text);
    expect(texts).toEqual([
      '4 requests of the key busy were refused today by its rate limit.',
      'The key ending expires in 3 days.',
    ]);
  });

  test('reads the consumers also when a bucket was deleted meanwhile', async () => {
    const consumers = async (name: string) => {
      if (name === 'gone') throw new StowageError('not_found', 'there is no bucket of this name');
      return { items: [consumer({})] };
    };
    const buckets = [{ name: 'gone' }, { name: 'photos' }] as never[];
    const { signal } = new AbortController();
    const found = await readConsumers({ consumers } as never, buckets, signal);
    expect(found.map(({ bucket, consumers: of }) => [bucket, of.length])).toEqual([
      ['gone', 0],
      ['photos', 1],
    ]);
  });

  test('adds up only what the service knows of every bucket', () => {
    const buckets = [{ object_count: 1, total_size: 2 }, { object_count: 3 }] as never[];
    expect(totalOf(buckets, 'object_count')).toBe(4);
    expect(totalOf(buckets, 'total_size')).toBeUndefined();
  });
});
