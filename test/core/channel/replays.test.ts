import { isReplaying, Replay, stopReplay } from '../../../core/channel/replays';
import { openBucket } from '../../support/bucket-world';

const owner = (connectionId: string, bucketId = 'b1', limit = 2) => ({
  ...{ keyId: 'k00000000001', connectionId, bucketId, limit },
});

test('a replay is current until it ends, is stopped, or another one takes its place', async () => {
  const { deps } = await openBucket();
  const first = await Replay.begin(deps, owner('c1'));
  expect(await first.isCurrent()).toBe(true);
  const second = await Replay.begin(deps, owner('c1'));
  expect([await first.isCurrent(), await second.isCurrent()]).toEqual([false, true]);
  await first.end();
  expect(await isReplaying(deps, owner('c1'))).toBe(true);
  await second.end();
  expect(await isReplaying(deps, owner('c1'))).toBe(false);
  const third = await Replay.begin(deps, owner('c1'));
  await stopReplay(deps, owner('c1'));
  expect(await third.isCurrent()).toBe(false);
});

test('a key has as many replays at once as its tier allows, and then gets the time to wait', async () => {
  const { deps } = await openBucket();
  await Replay.begin(deps, owner('c1'));
  await Replay.begin(deps, owner('c1', 'b2'));
  await Replay.begin(deps, owner('c1'));
  await expect(Replay.begin(deps, owner('c2'))).rejects.toMatchObject({
    code: 'rate_limited',
    details: { class: 'wait', retry_after: 2, concurrent: 2 },
  });
  expect(await isReplaying(deps, owner('c2'))).toBe(false);
});

test('a replay has ended at its end, not after it', async () => {
  const { deps } = await openBucket();
  await Replay.begin(deps, owner('c1'));
  const [until = 0] = (await deps.slots.holders(owner('c1').keyId, 'replay')).values();
  deps.clock.advance(until - deps.clock.now());
  expect(deps.clock.now()).toBe(until);
  expect(await isReplaying(deps, owner('c1'))).toBe(false);
});

test('a replay whose instance died counts for fifteen seconds', async () => {
  const { deps } = await openBucket();
  await Replay.begin(deps, owner('c1'));
  deps.clock.advance(14_999);
  expect(await isReplaying(deps, owner('c1'))).toBe(true);
  deps.clock.advance(2);
  expect(await isReplaying(deps, owner('c1'))).toBe(false);
});
