/** The events that wait for their reader. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { SubscriptionEvent } from '../../../client';
import { EventQueue } from '../../../client/channel/event-queue';
import { until } from '../../support/until';

const event = (type: string, bucket: string, cursor: number) =>
  ({ type, bucket, bucketId: 'one', cursor }) as SubscriptionEvent;

async function read(queue: EventQueue): Promise<string[]> {
  const texts: string[] = [];
  while (queue.size > 0) {
    const next = await queue.shift();
    if (next && 'cursor' in next) texts.push(`${next.type} ${next.bucket} ${next.cursor}`);
  }
  return texts;
}

test('a cursor takes the place of the one before it, and of nothing else', async () => {
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

test('a cursor that was read is not changed by the next one', async () => {
  const queue = new EventQueue();
  queue.push(event('cursor', 'a', 1));
  const first = await queue.shift();
  queue.push(event('cursor', 'a', 2));
  expect(first).toMatchObject({ cursor: 1 });
  expect(await read(queue)).toEqual(['cursor a 2']);
});

test('events keep their order over many more than the queue removes at once', async () => {
  const queue = new EventQueue();
  for (let cursor = 1; cursor <= 2500; cursor++) queue.push(event('put', 'a', cursor));
  const texts = await read(queue);
  expect(texts).toHaveLength(2500);
  expect([texts[1023], texts[1024], texts[2499]]).toEqual([
    'put a 1024',
    'put a 1025',
    'put a 2500',
  ]);
});

test('what is queued is read before the end, and the end is an error or undefined', async () => {
  const queue = new EventQueue();
  queue.push(event('put', 'a', 1));
  queue.end(new Error('lost'));
  queue.end();
  queue.push(event('put', 'a', 2));
  expect(await read(queue)).toEqual(['put a 1']);
  await expect(queue.shift()).rejects.toThrow('lost');
  const other = new EventQueue();
  const waiting = other.shift();
  other.push(event('put', 'a', 3));
  other.discard();
  expect(await waiting).toBeUndefined();
});

const status = (bucket: string, reason: string) =>
  ({ type: 'status', status: 'connected', transport: 'poll', buckets: [bucket], reason }) as const;

test('a status takes the place of the one before it of the same connection', async () => {
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

test('a cursor takes the place of the one before it when the changes before that are read', async () => {
  const queue = new EventQueue();
  queue.push(event('put', 'a', 1));
  queue.push(event('cursor', 'a', 1));
  expect(await queue.shift()).toMatchObject({ type: 'put' });
  expect(queue.size).toBe(1);
  queue.push(event('cursor', 'a', 2));
  expect(queue.size).toBe(1);
  expect(await read(queue)).toEqual(['cursor a 2']);
});

test('a queue that has ended or is discarded returns nothing more', async () => {
  const ended = new EventQueue();
  ended.end();
  expect(await ended.shift()).toBeUndefined();
  const discarded = new EventQueue();
  discarded.push(event('put', 'a', 1));
  discarded.discard();
  expect([discarded.size, await discarded.shift()]).toEqual([0, undefined]);
});

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

test.each([
  [1, 0],
  [2_000, 5],
])('events leave the memory when %i are read and %i are not', async (count, unread) => {
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
