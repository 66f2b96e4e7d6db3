/** The events that have arrived and that the reader has not read. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { SubscriptionEvent } from '../../../client';
import { EventQueue } from '../../../client/channel/event-queue';
import { until } from '../../support/until';

const event = (type: string, bucket: string, cursor: number) =>
  ({ type, bucket, bucketId: 'one', cursor }) as SubscriptionEvent;
const status = (bucket: string, reason: string) =>
  ({ type: 'status', status: 'connected', transport: 'poll', buckets: [bucket], reason }) as const;

async function read(queue: EventQueue): Promise<string[]> {
  const texts: string[] = [];
  while (queue.size > 0) {
    const next = await queue.shift();
    if (next && 'cursor' in next) texts.push(`${next.type} ${next.bucket} ${next.cursor}`);
  }
  return texts;
}

test('an unread cursor event is replaced by the next of its bucket, and nothing else is', async () => {
  const queue = new EventQueue();
  queue.push(event('put', 'a', 1));
  for (const cursor of [1, 2, 3]) queue.push(event('cursor', 'a', cursor));
  queue.push(event('cursor', 'b', 9));
  queue.push(event('cursor', 'a', 4));
  queue.push(event('delete', 'a', 5));
  queue.push(event('cursor', 'a', 5));
  expect(await read(queue)).toEqual([
    ...['put a 1', 'cursor a 4', 'cursor b 9'],
    ...['delete a 5', 'cursor a 5'],
  ]);
});

test('a cursor event that was read does not change', async () => {
  const queue = new EventQueue();
  queue.push(event('put', 'a', 1));
  queue.push(event('cursor', 'a', 1));
  expect(await queue.shift()).toMatchObject({ type: 'put' });
  queue.push(event('cursor', 'a', 2));
  expect(queue.size).toBe(1);
  const second = await queue.shift();
  queue.push(event('cursor', 'a', 3));
  expect(second).toMatchObject({ cursor: 2 });
  expect(await read(queue)).toEqual(['cursor a 3']);
});

test('an unread status is replaced by the next of the same connection', async () => {
  const queue = new EventQueue();
  queue.push(status('a', 'first'));
  queue.push(status('b', 'other'));
  queue.push(status('a', 'second'));
  expect(queue.size).toBe(2);
  expect([await queue.shift(), await queue.shift()]).toEqual([
    status('a', 'second'),
    status('b', 'other'),
  ]);
});

test('thousands of events keep their order', async () => {
  const queue = new EventQueue();
  const cursors = Array.from({ length: 2_500 }, (_, index) => index + 1);
  for (const cursor of cursors) queue.push(event('put', 'a', cursor));
  expect(await read(queue)).toEqual(cursors.map((cursor) => `put a ${cursor}`));
});

test('a queue that ends with an error returns its events first, then throws', async () => {
  const queue = new EventQueue();
  queue.push(event('put', 'a', 1));
  queue.end(new Error('lost'));
  queue.end();
  queue.push(event('put', 'a', 2));
  expect(await read(queue)).toEqual(['put a 1']);
  await expect(queue.shift()).rejects.toThrow('lost');
});

test('a queue that has ended or is discarded returns undefined', async () => {
  const ended = new EventQueue();
  ended.end();
  expect(await ended.shift()).toBeUndefined();
  const discarded = new EventQueue();
  const waiting = discarded.shift();
  discarded.push(event('put', 'a', 1));
  discarded.discard();
  expect([await waiting, discarded.size, await discarded.shift()]).toEqual([
    undefined,
    0,
    undefined,
  ]);
});

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

test.each([
  [1, 0],
  [2_000, 5],
])('events can be collected when %i are read and %i are not', async (count, unread) => {
  const queue = new EventQueue();
  const push = (cursor: number) => {
    const pushed = event('put', 'a', cursor);
    queue.push(pushed);
    return new WeakRef(pushed);
  };
  const first = push(1);
  for (let cursor = 2; cursor <= count + unread; cursor++) push(cursor);
  for (let read = 0; read < count; read++) await queue.shift();
  await until('the first event to be collected', () => {
    collectGarbage();
    return first.deref() === undefined;
  });
  expect(queue.size).toBe(unread);
});
