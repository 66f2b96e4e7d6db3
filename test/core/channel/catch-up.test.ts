import { catchUp, hasMissedEntries } from '../../../core/channel/catch-up';
import { readBucketState } from '../../../core/log/cursor-reads';
import { publishChanges } from '../../../core/log/publish';
import { BUCKET, openBucket, put, type World } from '../../support/bucket-world';

/** An open channel, and a log with that many no-op entries. */
async function open(entries: number) {
  const { deps, bucket } = await openBucket();
  const at = deps.clock.iso();
  for (let cursor = 1; cursor <= entries; cursor++) {
    await deps.commits.allocate(bucket);
    await deps.changeLog.fill(bucket.id, { type: 'noop', bucket: BUCKET, cursor, at });
  }
  deps.gateway.open('c1');
  const end = deps.clock.now() + 8_000;
  const mayContinue = jest.fn(async () => true);
  const subscription = { bucket: BUCKET, bucketId: bucket.id, prefix: '' };
  const run = (after = 0, may: () => Promise<boolean> = mayContinue) =>
    catchUp(deps, 'c1', subscription, { after, end, mayContinue: may });
  const ranges = () =>
    deps.gateway
      .messages('c1')
      .map((text) => JSON.parse(text))
      .map(({ from, to, more }) => [from, to, ...(more === undefined ? [] : [more])]);
  return { deps, end, run, ranges, mayContinue };
}

describe('catching up', () => {
  test('sends 500 entries at a time, and asks before each further read', async () => {
    const { run, ranges, mayContinue } = await open(1_200);
    await run();
    expect(ranges()).toEqual([
      [0, 500],
      [500, 1_000],
      [1_000, 1_200],
    ]);
    expect(mayContinue).toHaveBeenCalledTimes(2);
  });

  test('sends nothing at the head', async () => {
    const { run, ranges } = await open(3);
    await run(3);
    expect(ranges()).toEqual([]);
  });

  test('ends when it may not continue', async () => {
    const { run, ranges } = await open(1_200);
    await run(0, async () => false);
    expect(ranges()).toEqual([[0, 500]]);
  });

  test('ends at its time with `more`, if there is more', async () => {
    const { deps, end, run, ranges } = await open(1_200);
    const wait = (milliseconds: number) => async () => {
      deps.clock.advance(Math.max(0, end - milliseconds - deps.clock.now()));
      return true;
    };
    await run(0, wait(1));
    expect(ranges()).toEqual([
      [0, 500],
      [500, 1_000],
      [1_000, 1_200],
    ]);
    await run(0, wait(0));
    expect(ranges().slice(3)).toEqual([
      [0, 500],
      [500, 1_000, true],
    ]);
    await run(1_000);
    expect(ranges().slice(5)).toEqual([[1_000, 1_200]]);
  });

  test('ends when the connection is gone', async () => {
    const { deps, run, mayContinue } = await open(1_200);
    deps.gateway.close('c1');
    await run();
    expect(mayContinue).not.toHaveBeenCalled();
  });

  test.each([
    [
      2_999,
      [
        [0, 14],
        [14, 28],
        [28, 30],
      ],
    ],
    [
      3_000,
      [
        [0, 14],
        [14, 28, true],
      ],
    ],
  ])('may send the messages of its last read until %i ms after its end', async (over, sent) => {
    const { deps, end, run, ranges } = await open(0);
    await putLarge(deps, 30);
    deps.clock.advance(end - deps.clock.now());
    const post = deps.channels.post.bind(deps.channels);
    jest.spyOn(deps.channels, 'post').mockImplementationOnce(async (...message) => {
      deps.clock.advance(over);
      return post(...message);
    });
    await run();
    expect(ranges()).toEqual(sent);
  });
});

/** Changes of which fourteen fit into a message. */
async function putLarge(deps: World, count: number): Promise<void> {
  for (let n = 0; n < count; n++) await put(deps, 'k', 'x', { x: 'x'.repeat(1_900) });
}

describe('a subscriber has missed an entry', () => {
  test('that is published, without a read', async () => {
    const { deps } = await open(2);
    await publishChanges(deps, BUCKET, { upTo: 1 });
    const read = jest.spyOn(deps.changeLog, 'read');
    const state = await readBucketState(deps, BUCKET);
    expect(await hasMissedEntries(deps, state, 0)).toBe(true);
    expect(read).not.toHaveBeenCalled();
    expect(await hasMissedEntries(deps, state, 1)).toBe(false);
    expect(await hasMissedEntries(deps, state, 2)).toBe(false);
  });

  test('that should have been published half a minute ago', async () => {
    const { deps } = await open(1);
    const state = await readBucketState(deps, BUCKET);
    deps.clock.advance(29_999);
    expect(await hasMissedEntries(deps, state, 0)).toBe(false);
    deps.clock.advance(1);
    expect(await hasMissedEntries(deps, state, 0)).toBe(true);
  });
});
