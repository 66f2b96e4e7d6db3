/** The logic of the dashboard that needs no browser. */
import { StowageError } from '../../client/errors';
import document from '../../dashboard/public/openapi.json';
import { SessionKey } from '../../dashboard/src/api/session-key';
import { actionText, detailLines } from '../../dashboard/src/audit/audit-text';
import { bucketNameError } from '../../dashboard/src/buckets/bucket-name';
import {
  EMPTY_WINDOW,
  filtered,
  MOST_SHOWN,
  statusOf,
  withEvents,
} from '../../dashboard/src/changes/change-window';
import { entriesOf, stepsTo } from '../../dashboard/src/objects/entries';
import { allPages, nextPage } from '../../dashboard/src/parts/all-pages';
import { durationText, sizeText } from '../../dashboard/src/parts/format';
import { hrefOf, type Page, pageOf } from '../../dashboard/src/parts/navigation';
import { curlOf } from '../../dashboard/src/reference/curl';
import { readReference } from '../../dashboard/src/reference/openapi';
import { barsOf, totalsOf } from '../../dashboard/src/usage/usage-series';

describe('a paged list', () => {
  const pages = [[1, 2], [], [3]];
  const read = async (next = '0') => {
    const index = Number(next);
    const following = index + 1 < pages.length ? { next: String(index + 1) } : {};
    return { items: pages[index] ?? [], ...following };
  };

  test('is read to its end, over empty pages', async () => {
    expect(await allPages(read)).toEqual({ items: [1, 2, 3], isComplete: true });
  });

  test('stops after 20 pages when it is endless', async () => {
    const endless = async () => ({ items: [1], next: 'x' });
    expect(await allPages(endless)).toMatchObject({ isComplete: false });
  });

  test('skips an empty page when others follow', async () => {
    expect(await nextPage(read, '1')).toEqual({ items: [3] });
  });
});

test.each<Page>([
  { page: 'keys' },
  { page: 'overview' },
  { page: 'usage' },
  { page: 'key', id: 'MTivvttCEgQl' },
  { page: 'history', bucket: 'photos' },
  { page: 'settings', bucket: 'photos' },
  { page: 'objects', bucket: 'photos', prefix: 'a b/ü&=#?/+%2F/' },
  { page: 'object', bucket: 'photos', key: '<img src=x>&version=9' },
  { page: 'changes', bucket: 'photos' },
])('pageOf reverses hrefOf for %j', (page) => {
  expect(pageOf(hrefOf(page))).toEqual(page);
});

test.each([
  '#/nothing',
  '#/keys/',
  '#/keys/a/b',
  '#/buckets//changes',
  '#/buckets/a/object',
  '#/buckets/a/b',
])('pageOf returns undefined for %s', (hash) => {
  expect(pageOf(hash)).toBeUndefined();
});

test('entriesOf and stepsTo return the names in a folder and its path', () => {
  const page = { prefixes: ['a//b/'], objects: [{ key: 'a//' }], cursor: 1, bucket_id: 'x' };
  const names = entriesOf(page as never, 'a//').map(({ name }) => name);
  expect(names).toEqual(['b/', '(the folder itself)']);
  expect(stepsTo('a//')).toEqual([
    { name: 'a', prefix: 'a/' },
    { name: '(no name)', prefix: 'a//' },
  ]);
});

describe('the key of a session', () => {
  const sessionOf = (minutes: number[]) => {
    let now = 0;
    let created = 0;
    const key = new SessionKey({
      now: () => now,
      open: async () => {
        const validMinutes = minutes[created];
        if (validMinutes === undefined) throw new StowageError('unauthorized', 'signed out');
        created += 1;
        const expires_at = new Date(now + validMinutes * 60_000).toISOString();
        return { api_key: `osk_${created}`, key_id: `id-${created}`, expires_at };
      },
    });
    return { key, wait: (minute: number) => (now += minute * 60_000), created: () => created };
  };

  test('is created once for concurrent requests', async () => {
    const { key, created } = sessionOf([60]);
    await Promise.all([key.get(), key.get(), key.get()]);
    expect(created()).toBe(1);
  });

  test('is renewed before it expires, and after it was refused', async () => {
    const { key, wait } = sessionOf([60, 60, 60]);
    expect((await key.get()).key_id).toBe('id-1');
    wait(59);
    const second = await key.get();
    expect(second.key_id).toBe('id-2');
    key.refuse(second);
    expect((await key.get()).key_id).toBe('id-3');
  });

  test('is used until it expires when no other can be created', async () => {
    const { key, wait } = sessionOf([60]);
    await key.get();
    wait(59);
    expect((await key.get()).key_id).toBe('id-1');
    wait(1);
    await expect(key.get()).rejects.toThrow('signed out');
  });

  test('is not created any more after the end, which waits for one that is being created', async () => {
    const { key, created } = sessionOf([60, 60]);
    const pending = key.get();
    await key.end();
    expect(created()).toBe(1);
    await pending;
    await expect(key.get()).rejects.toThrow('signed out');
    expect(created()).toBe(1);
  });
});

describe('the window of changes', () => {
  const change = (cursor: number, key = `k${cursor}`) =>
    ({ type: 'put', bucket: 'b', bucketId: 'i', cursor, object: { key } }) as never;

  test('holds the newest changes first, up to its limit', () => {
    const events = Array.from({ length: MOST_SHOWN + 2 }, (_, index) => change(index + 1));
    const window = withEvents(EMPTY_WINDOW, events);
    expect(window.changes).toHaveLength(MOST_SHOWN);
    expect(window.changes[0]?.cursor).toBe(MOST_SHOWN + 2);
    expect(window.seen).toBe(MOST_SHOWN + 2);
  });

  test('is live when the service has said from which cursor on the bucket is followed', () => {
    const buckets = ['photos'];
    const connected = { type: 'status', status: 'connected', transport: 'websocket', buckets };
    const cursor = { type: 'cursor', bucket: 'photos', bucketId: 'i', cursor: 4, head: 4 };
    const [opened, followed] = [[connected], [connected, cursor]] as never[][];
    expect(statusOf(withEvents(EMPTY_WINDOW, opened ?? []))).toBe('connecting');
    expect(statusOf(withEvents(EMPTY_WINDOW, followed ?? []))).toBe('connected');
  });

  test('shows the changes whose key contains the text', () => {
    const { changes } = withEvents(EMPTY_WINDOW, [change(1, 'Cat.jpg'), change(2, 'dog.jpg')]);
    expect(filtered(changes, { text: 'cat', type: 'all' })).toHaveLength(1);
    expect(filtered(changes, { text: '', type: 'delete' })).toHaveLength(0);
  });
});

test('barsOf counts by hour for a day and by day for longer periods, with zeros for gaps', () => {
  const now = Date.parse('2026-11-20T03:30:00Z');
  const hour = {
    hour: '2026-11-20T02:00:00.000Z',
    read: 5,
    write: 1,
    list: 0,
    sign: 0,
    wait: 0,
    connect: 0,
    limited: 2,
  };
  const byHour = barsOf([hour], 1, now);
  expect(byHour.map(({ counts }) => counts.read)).toEqual([0, 0, 5, 0]);
  const byDay = barsOf([hour], 7, now);
  expect(byDay.map(({ counts }) => counts.read)).toEqual([0, 0, 0, 0, 0, 0, 5]);
  expect(totalsOf(byDay)).toMatchObject({ read: 5, write: 1, limited: 2 });
});

test('detailLines shows old and new values, and unknown fields as text', () => {
  const before = { tier: 'small', name: 'a' };
  const after = { tier: 'large', name: '<b>' };
  expect(detailLines({ before, after, odd: { x: [1] } })).toEqual([
    'odd: {"x":[1]}',
    'Name: a → <b>',
    'Rate limits: small → large',
  ]);
});

test.each(['constructor', 'toString', 'hasOwnProperty', '__proto__'])(
  'a field or an action of the name %s is text like another',
  (name) => {
    const field = JSON.parse(`{"${name}": "x"}`);
    expect(detailLines({ ...field, before: {}, after: field })).toEqual([
      `${name}: x`,
      `${name}: none → x`,
    ]);
    expect(actionText(name)).toBe(name.replaceAll('_', ' '));
  },
);

describe('the reference', () => {
  const { operations, description } = readReference(document);

  test('has every operation with its parameters resolved, and HEAD with GET', () => {
    const count = Object.values(document.paths).reduce(
      (sum, item) =>
        sum + Object.keys(item).filter((name) => !['parameters', 'head'].includes(name)).length,
      0,
    );
    expect(operations).toHaveLength(count);
    const parameters = operations.flatMap((operation) => operation.parameters);
    expect(parameters.every(({ name }) => name !== '')).toBe(true);
    expect(operations.filter(({ hasHead }) => hasHead).map(({ method }) => method)).toContain(
      'GET',
    );
    expect(() => readReference({ paths: {} })).toThrow('not an OpenAPI document');
  });

  test('shows no extension of the document', () => {
    const text = JSON.stringify({ operations, description });
    expect(text.match(/"x-[a-z-]+":|`x-(?:max|well|future|tier)[a-z-]*/g)).toBeNull();
  });

  test('has a curl line for each operation, which names all that the operation requires', () => {
    const lines = new Map(operations.map((one) => [one.id, curlOf(one, 'http://127.0.0.1:3000/')]));
    expect(lines.get('patch /api/v2/storage/buckets/{bucket}')).toBe(
      [
        'curl -X PATCH',
        '-H "Authorization: Bearer $STOWAGE_KEY"',
        "-H 'Content-Type: application/json'",
        `-d '{"lifecycle":[{"prefix":"tmp/","expire_after_days":7}]}'`,
        "'http://127.0.0.1:3000/api/v2/storage/buckets/photos'",
      ].join(' \\\n  '),
    );
    expect(lines.get('get /admin/v1/usage')).toContain('"Authorization: Bearer $TOKEN"');
    expect(lines.get('get /admin/v1/config')).not.toContain('Authorization');
    expect(lines.get('put /api/v2/storage/objects/{bucket}/{key}')).toContain('-T FILE');
    for (const line of lines.values()) expect(line).not.toMatch(/[{<]\w+[}>]/);
  });
});

test.each([
  ['photos-2026', undefined],
  ['', 'Give the bucket a name.'],
  ['ab', 'It must have 3 to 63 characters.'],
  ['-abc', 'It must begin and end with a letter or digit.'],
  ['Abc', 'Only a-z, 0-9 and - are possible.'],
])('bucketNameError checks the name %j', (name, expected) => {
  expect(bucketNameError(name)).toBe(expected);
});

test('sizeText shows a size with three digits and its unit', () => {
  expect([0, 1, 1023, 1024, 10 * 1024 ** 2, 5 * 1024 ** 4].map(sizeText)).toEqual([
    '0 bytes',
    '1 byte',
    '1023 bytes',
    '1.00 KiB',
    '10.0 MiB',
    '5.00 TiB',
  ]);
});

test('durationText shows a time in whole units', () => {
  expect([0, 1, 59, 60, 3599, 7200, 86_399, 172_800].map(durationText)).toEqual([
    '0 seconds',
    '1 second',
    '59 seconds',
    '1 minute',
    '59 minutes',
    '2 hours',
    '23 hours',
    '2 days',
  ]);
});
