import { LongPoll, NEVER_WAITS, WAITS_FREELY } from '../../../core/channel/long-poll';
import { BUCKET, openBucket } from '../../support/bucket-world';
import { newKey } from '../../support/samples';

async function open(limits = { key: 1, service: 1 }, prefix = '') {
  const { deps } = await openBucket();
  const key = newKey();
  deps.state.apiKeys.set(key.id, key);
  const poll = (keyId = key.id) =>
    new LongPoll(deps, { keyId, bucket: BUCKET, prefix, limits, generation: 0 });
  const untils = async (owner: string) => [...(await deps.slots.holders(owner, 'wait')).values()];
  const change = (settings: object) => deps.state.apiKeys.set(key.id, { ...key, ...settings });
  return { deps, key, poll, untils, change };
}

test('without a key every request waits, or none does, and no check fails', async () => {
  expect(await WAITS_FREELY.begin(1)).toBe(true);
  expect(await NEVER_WAITS.begin(1)).toBe(false);
  for (const waiting of [WAITS_FREELY, NEVER_WAITS]) {
    expect([await waiting.check(), await waiting.end()]).toEqual([undefined, undefined]);
  }
});

test('a waiting request has a slot of its key and of the service, for ten seconds more', async () => {
  const { key, poll, untils } = await open();
  const waiting = poll();
  expect(await waiting.begin(1_000_000_000)).toBe(true);
  expect([await untils(key.id), await untils('*')]).toEqual([[1_000_010_000], [1_000_010_000]]);
  await waiting.end();
  expect([await untils(key.id), await untils('*')]).toEqual([[], []]);
});

test('a request of a key without a slot does not wait, and asks the service for none', async () => {
  const { deps, poll, untils } = await open({ key: 1, service: 9 });
  const until = deps.clock.now() + 1;
  await poll().begin(until);
  expect(await poll().begin(until)).toBe(false);
  expect(await untils('*')).toHaveLength(1);
  expect(deps.log.lines).toEqual([]);
});

test('a request for which the service has no slot leaves that of its key', async () => {
  const { deps, key, poll, untils } = await open({ key: 9, service: 1 });
  const until = deps.clock.now() + 1;
  await poll('other').begin(until);
  expect(await poll().begin(until)).toBe(false);
  expect(await untils(key.id)).toEqual([]);
  expect(deps.log.lines).toEqual([
    { level: 'info', event: 'wait_refused', fields: { keyId: key.id, waiting: 1 } },
  ]);
});

test('slots that cannot be taken or released are logged', async () => {
  const { deps, key, poll } = await open();
  const { slots } = deps;
  const error = new Error('throttled');
  const take = slots.take.bind(slots);
  jest.spyOn(slots, 'take').mockImplementation(async (owner, ...request) => {
    if (owner === '*') throw error;
    return take(owner, ...request);
  });
  jest.spyOn(slots, 'release').mockRejectedValue(error);
  expect(await poll().begin(1)).toBe(false);
  expect(deps.log.lines).toEqual([
    { level: 'error', event: 'slot_not_taken', fields: { keyId: key.id, error } },
    { level: 'error', event: 'slot_not_released', fields: { error } },
  ]);
});

test.each([
  ['is as it was', {}, undefined],
  ['is revoked', { revokedAt: '2026-01-01T00:00:00.000Z' }, { code: 'unauthorized' }],
  ['has another secret', { generation: 1 }, { code: 'unauthorized' }],
  [
    'has lost the permission',
    { permissions: [] },
    { code: 'forbidden', details: { action: 'sync', bucket: BUCKET, prefix: 'a/' } },
  ],
])('a check finds that the key %s', async (_, settings, error) => {
  const { poll, change } = await open(undefined, 'a/');
  change(settings);
  const checked = poll().check();
  if (error) await expect(checked).rejects.toMatchObject(error);
  else expect(await checked).toBeUndefined();
});
