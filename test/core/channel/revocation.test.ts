/** Which channels of changed API keys are closed, and what is reported of those that are left. */
import type { ApiKeyRecord } from '../../../core/access/ports';
import { reviewChannels } from '../../../core/channel/revocation';
import { openBucket } from '../../support/bucket-world';
import { newKey } from '../../support/samples';

const broken = new Error('no response');
const later = () => new Promise<void>((resolve) => setImmediate(resolve));

/** A key with that many channels, each of which has a slot. */
async function open(count: number) {
  const { deps } = await openBucket();
  const key = newKey();
  deps.state.apiKeys.set(key.id, key);
  const { clock, gateway, slots, subscriptions } = deps;
  const now = clock.now();
  const ended: string[] = [];
  const ids = Array.from({ length: count }, (_, n) => `c${n}`);
  for (const id of ids) {
    await subscriptions.open({ id, keyId: key.id, connectedAt: now });
    await slots.take(key.id, 'channel', { limit: count, holder: id, now, until: now + 1 });
    gateway.open(id, undefined, () => ended.push(id));
  }
  const closed = () => [...ended].sort();
  const change = (settings: Partial<ApiKeyRecord>) =>
    deps.state.apiKeys.set(key.id, { ...key, ...settings });
  const held = async () => [...(await slots.holders(key.id, 'channel')).keys()];
  return { deps, key, ids, closed, change, held };
}

const failed = (fields: object) => ({
  ...{ level: 'error', event: 'revocation_failed', fields: { ...fields, error: broken } },
});
const continues = (keyId: string) => ({
  ...{ level: 'info', event: 'revocation_continues', fields: { keyIds: [keyId] } },
});

describe('a review of the channels of a key', () => {
  test('leaves those that it permits, and none to review again', async () => {
    const { deps, key, closed } = await open(2);
    expect(await reviewChannels(deps, [key.id])).toEqual(new Set());
    expect(closed()).toEqual([]);
    expect(deps.log.lines).toEqual([]);
  });

  test('names the key whose channels cannot be read', async () => {
    const { deps, key } = await open(1);
    jest.spyOn(deps.subscriptions, 'connectionsOf').mockRejectedValue(broken);
    expect(await reviewChannels(deps, [key.id])).toEqual(new Set([key.id]));
    expect(deps.log.lines).toEqual([failed({ keyId: key.id })]);
  });

  test('names the channel that cannot be reviewed', async () => {
    const { deps, key, ids } = await open(1);
    jest.spyOn(deps.subscriptions, 'get').mockRejectedValue(broken);
    expect(await reviewChannels(deps, [key.id])).toEqual(new Set([key.id]));
    expect(deps.log.lines).toEqual([failed({ keyId: key.id, connectionId: ids[0] })]);
  });

  test('is repeated, and says so, when it has to end before it began', async () => {
    const { deps, key } = await open(2);
    const read = jest.spyOn(deps.subscriptions, 'get');
    const left = await reviewChannels(deps, [key.id], { aborted: true });
    expect(left).toEqual(new Set([key.id]));
    expect(read).not.toHaveBeenCalled();
    expect(deps.log.lines).toEqual([continues(key.id)]);
  });

  test('reads at most eight of them at a time', async () => {
    const { deps, key } = await open(30);
    let [now, most] = [0, 0];
    const { get } = deps.subscriptions;
    jest.spyOn(deps.subscriptions, 'get').mockImplementation(async (id) => {
      now += 1;
      most = Math.max(most, now);
      await later();
      now -= 1;
      return get.call(deps.subscriptions, id);
    });
    await reviewChannels(deps, [key.id]);
    expect(most).toBe(8);
  });
});

describe('a key that is revoked', () => {
  test('has its channels closed without reading each, and its slots left to expire', async () => {
    const { deps, key, ids, closed, change, held } = await open(3);
    change({ revokedAt: deps.clock.iso() });
    const read = jest.spyOn(deps.subscriptions, 'get');
    const rows = jest.spyOn(deps.subscriptions, 'closeMany');
    expect(await reviewChannels(deps, [key.id])).toEqual(new Set());
    expect(closed()).toEqual(ids);
    expect(read).not.toHaveBeenCalled();
    expect(rows.mock.calls).toEqual([[key.id, ids]]);
    expect(await held()).toEqual(ids);
  });

  test('is named when the rows of its channels cannot be removed', async () => {
    const { deps, key, ids, closed, change } = await open(2);
    change({ revokedAt: deps.clock.iso() });
    jest.spyOn(deps.subscriptions, 'closeMany').mockRejectedValue(broken);
    expect(await reviewChannels(deps, [key.id])).toEqual(new Set([key.id]));
    expect(closed()).toEqual(ids);
    expect(deps.log.lines).toEqual([failed({ keyId: key.id })]);
  });

  test('is named with the channel that cannot be disconnected', async () => {
    const { deps, key, ids, change } = await open(1);
    change({ revokedAt: deps.clock.iso() });
    jest.spyOn(deps.channels, 'disconnect').mockRejectedValue(broken);
    expect(await reviewChannels(deps, [key.id])).toEqual(new Set([key.id]));
    expect(deps.log.lines).toEqual([failed({ keyId: key.id, connectionId: ids[0] })]);
  });

  test('keeps its channels, and says so, when the time is over before the first goodbye', async () => {
    const { deps, key, closed, change } = await open(2);
    change({ revokedAt: deps.clock.iso() });
    const left = await reviewChannels(deps, [key.id], { aborted: true });
    expect(left).toEqual(new Set([key.id]));
    expect(closed()).toEqual([]);
    expect(deps.log.lines).toEqual([continues(key.id)]);
  });
});

test.each<[string, Partial<ApiKeyRecord>]>([
  ['has expired', { expiresAt: '2026-01-01T00:00:00.000Z' }],
  ['has another secret', { generation: 1 }],
])('the channels of a key that %s are closed, and their slots are free', async (_, settings) => {
  const { deps, key, ids, closed, change, held } = await open(3);
  change(settings);
  const rows = jest.spyOn(deps.subscriptions, 'closeMany');
  expect(await held()).toEqual(ids);
  expect(await reviewChannels(deps, [key.id])).toEqual(new Set());
  expect(closed()).toEqual(ids);
  expect(rows).not.toHaveBeenCalled();
  expect(await held()).toEqual([]);
  expect(deps.state.connections.size).toBe(0);
});
