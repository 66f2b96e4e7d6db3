/** What a mirror makes of lists and changes, one event after the other. */
import type { ObjectDescriptor, SubscriptionEvent } from '../../../client';
import { type MirrorEvent, mirror } from '../../../client/mirror';

const object = (key: string, cursor: number) =>
  ({ bucket: 'photos', key, cursor, version: 1 }) as ObjectDescriptor;

const put = (key: string, cursor: number) => {
  const place = { bucket: 'photos', bucketId: 'one', cursor };
  return { type: 'put', ...place, object: object(key, cursor) } as SubscriptionEvent;
};

const at = (cursor: number) =>
  ({ type: 'cursor', bucket: 'photos', bucketId: 'one', cursor, head: cursor }) as const;

interface Page {
  readonly bucket_id: string;
  readonly objects: readonly ObjectDescriptor[];
  readonly next_page_token?: string;
}

/** The events of a mirror of these pages, whose cursor is 5, and of these changes after them. */
async function eventsOf(pages: readonly Page[], changes: readonly SubscriptionEvent[]) {
  const left = [...pages];
  const followed: unknown[] = [];
  const events: string[] = [];
  const deps: Parameters<typeof mirror>[2] = {
    list: async () => ({ prefixes: [], cursor: 5, ...(left.shift() as Page) }),
    follow: async function* (from) {
      followed.push(from);
      yield* changes;
    },
    random: () => 0,
  };
  for await (const event of mirror('photos', {}, deps)) events.push(textOf(event));
  return { events, followed };
}

function textOf(event: MirrorEvent): string {
  if (event.type === 'reset') return `reset ${event.bucketId} ${event.reason}`;
  if (event.type === 'cursor') return `cursor ${event.cursor}`;
  return `${event.type} ${event.object.key}@${event.object.cursor}`;
}

const RESET = 'reset one start';

test('a mirror that has shown a later version of a key does not go back to an earlier one', async () => {
  const pages = [{ bucket_id: 'one', objects: [object('a', 3), object('b', 8)] }];
  const changes = [put('b', 6), at(6), put('a', 7), at(7), put('b', 8), put('b', 9), at(9)];
  const { events } = await eventsOf(pages, changes);
  expect(events).toEqual([
    ...[RESET, 'snapshot a@3', 'snapshot b@8'],
    // No cursor is announced before 8: the copy is ahead of it.
    ...['put a@7', 'put b@9', 'cursor 9'],
  ]);
});

test('a mirror whose list shows nothing newer announces the cursor of the list', async () => {
  const pages = [{ bucket_id: 'one', objects: [object('a', 3)] }];
  const { events, followed } = await eventsOf(pages, [put('a', 6), at(6)]);
  expect(events).toEqual([RESET, 'snapshot a@3', 'cursor 5', 'put a@6', 'cursor 6']);
  expect(followed).toEqual([{ bucketId: 'one', cursor: 5, prefix: '' }]);
});

test('a mirror begins anew when the pages of its list are of two incarnations', async () => {
  const { events } = await eventsOf(
    [
      { bucket_id: 'old', objects: [object('a', 3)], next_page_token: 't' },
      { bucket_id: 'one', objects: [object('b', 1)] },
      { bucket_id: 'one', objects: [object('b', 1)] },
    ],
    [],
  );
  expect(events).toEqual([
    ...['reset old start', 'snapshot a@3'],
    ...['reset one bucket_replaced', 'snapshot b@1', 'cursor 5'],
  ]);
});
