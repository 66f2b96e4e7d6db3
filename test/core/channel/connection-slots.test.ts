import { takeConnectionSlot, undoConnection } from '../../../core/channel/connection-slots';
import { LIMITS } from '../../../core/limits';
import { openBucket } from '../../support/bucket-world';

const KEY = 'k00000000001';
const owner = (id: string) => ({ id, keyId: KEY });
const scope = { bucket: 'photos', prefix: '' };
const ids = (count: number) => Array.from({ length: count }, (_, n) => `c${n}`);

/** A key with that many open channels, as many as it may have. */
async function open(count: number) {
  const { deps } = await openBucket();
  for (const id of ids(count)) {
    await takeConnectionSlot(deps, owner(id), count);
    await deps.subscriptions.open({ ...owner(id), connectedAt: deps.clock.now() });
    deps.gateway.open(id);
  }
  const isOpen = jest.spyOn(deps.channels, 'isOpen');
  const take = (id: string) => takeConnectionSlot(deps, owner(id), count);
  const holders = async () => [...(await deps.slots.holders(KEY, 'channel')).keys()];
  return { deps, isOpen, take, holders };
}

const refusedWith = (concurrent: number) =>
  expect.objectContaining({
    code: 'rate_limited',
    details: { class: 'connect', retry_after: 10, concurrent },
    headers: { 'Retry-After': '10' },
  });

test('a slot ends ten minutes after API Gateway has closed its connection', async () => {
  const { deps, isOpen } = await open(0);
  const read = jest.spyOn(deps.slots, 'holders');
  await takeConnectionSlot(deps, owner('c0'), 1);
  expect([read.mock.calls, isOpen.mock.calls]).toEqual([[], []]);
  const slots = await deps.slots.holders(KEY, 'channel');
  expect([...slots]).toEqual([['c0', deps.clock.now() + 130 * 60_000]]);
});

test('a handshake without a slot looks for no connection that may not be open yet', async () => {
  const { deps, isOpen, take } = await open(2);
  deps.clock.advance(60_000);
  await expect(take('new')).rejects.toEqual(refusedWith(2));
  expect(isOpen).not.toHaveBeenCalled();
  deps.clock.advance(1);
  await expect(take('new')).rejects.toEqual(refusedWith(2));
  expect(isOpen.mock.calls.flat().sort()).toEqual(['c0', 'c1']);
});

test('a handshake takes the slot of a connection that is gone, stored or not', async () => {
  const { deps, take, holders } = await open(3);
  deps.clock.advance(60_001);
  deps.gateway.close('c1');
  await take('new');
  expect(await holders()).toEqual(['c0', 'c2', 'new']);
  expect([...deps.state.connections.keys()]).toEqual(['c0', 'c2']);
  deps.gateway.open('new');
  deps.gateway.close('c2');
  deps.state.connections.delete('c2');
  await take('newer');
  expect(await holders()).toEqual(['c0', 'new', 'newer']);
});

test('each handshake looks at ten other connections', async () => {
  const { deps, isOpen, take } = await open(30);
  deps.clock.advance(60_001);
  for (let n = 0; n < 12; n++) await expect(take(`new${n}`)).rejects.toEqual(refusedWith(30));
  expect(isOpen).toHaveBeenCalledTimes(120);
  const seen = isOpen.mock.calls.flat();
  expect(new Set(seen.slice(0, 10)).size).toBe(10);
  expect(new Set(seen).size).toBeGreaterThan(20);
});

test('a connection that cannot be looked at counts as open, and the others are looked at', async () => {
  const { deps, isOpen, take, holders } = await open(2);
  deps.clock.advance(60_001);
  deps.gateway.close('c1');
  const error = new Error('throttled');
  isOpen.mockImplementation(async (id) => {
    if (id === 'c0') throw error;
    return false;
  });
  await take('new');
  expect(await holders()).toEqual(['c0', 'new']);
  expect(deps.log.lines).toEqual([
    ...[{ level: 'error', event: 'connection_not_checked', fields: { connectionId: 'c0', error } }],
  ]);
});

test('a handshake is refused when the slots cannot be read', async () => {
  const { deps, take } = await open(1);
  const error = new Error('throttled');
  jest.spyOn(deps.slots, 'holders').mockRejectedValue(error);
  await expect(take('new')).rejects.toEqual(refusedWith(1));
  expect(deps.log.lines).toEqual([
    { level: 'error', event: 'slots_not_read', fields: { keyId: KEY, error } },
  ]);
});

test('channels that tickets opened share eight items of a thousand slots', async () => {
  const { deps } = await open(1);
  const take = jest.spyOn(deps.slots, 'take');
  for (const id of ids(100)) await takeConnectionSlot(deps, { ...owner(id), scope }, 1);
  const kinds = take.mock.calls.map(([, kind, { limit }]) => `${kind} ${limit}`);
  expect([...new Set(kinds)].sort()).toEqual(
    Array.from({ length: 8 }, (_, n) => `tickets-${n} ${LIMITS.ticketSlotsPerItem}`),
  );
  take.mockResolvedValue(false);
  await expect(takeConnectionSlot(deps, { ...owner('new'), scope }, 1)).rejects.toEqual(
    refusedWith(8_000),
  );
});

test('an undone handshake leaves no row and no slot, and logs what it could not undo', async () => {
  const { deps, holders } = await open(2);
  await undoConnection(deps, owner('c0'));
  expect([[...deps.state.connections.keys()], await holders()]).toEqual([['c1'], ['c1']]);
  expect(deps.log.lines).toEqual([]);
  const error = new Error('no response');
  jest.spyOn(deps.subscriptions, 'close').mockRejectedValue(error);
  await undoConnection(deps, owner('c1'));
  expect(await holders()).toEqual([]);
  expect(deps.log.lines).toEqual([
    { level: 'error', event: 'handshake_not_undone', fields: { connectionId: 'c1', error } },
  ]);
});
