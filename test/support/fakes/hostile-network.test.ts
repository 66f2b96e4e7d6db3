import { HostileNetwork, type Hostility } from './channel/hostile-network';
import { createFakes } from './fakes';

const ALL = Array.from({ length: 1000 }, (_, n) => String(n));

/** What a client gets of ALL. */
async function received(seed: number, hostility: Hostility): Promise<string[]> {
  const network = new HostileNetwork(seed, hostility);
  const { channels, gateway } = createFakes({ network: network.carry });
  const got: string[] = [];
  gateway.open('a=', (message) => got.push(message));
  for (const message of ALL) expect(await channels.post('a=', message)).toBe('sent');
  network.settle();
  expect(gateway.messages('a=')).toEqual(ALL);
  return got;
}

const sorted = (messages: readonly string[]) => [...messages].sort((a, b) => +a - +b);

test('a network without hostility delivers each message once and in order', async () => {
  expect(await received(1, { drop: 0, repeat: 0, delay: 0 })).toEqual(ALL);
});

test('messages are lost', async () => {
  const got = await received(1, { drop: 20, repeat: 0, delay: 0 });

  expect(got).toEqual(ALL.filter((message) => got.includes(message)));
  expect(got.length).toBeGreaterThan(700);
  expect(got.length).toBeLessThan(900);
});

test('messages arrive twice', async () => {
  const got = await received(1, { drop: 0, repeat: 20, delay: 0 });

  expect([...new Set(got)]).toEqual(ALL);
  expect(got.length).toBeGreaterThan(1100);
  expect(got.length).toBeLessThan(1300);
});

test('messages overtake each other', async () => {
  const got = await received(1, { drop: 0, repeat: 0, delay: 50 });

  expect(sorted(got)).toEqual(ALL);
  const overtaken = got.filter(
    (message, n) => +message < Math.max(0, ...got.slice(0, n).map(Number)),
  );
  expect(overtaken.length).toBeGreaterThan(100);
});

test('the same seed does the same, another one does not', async () => {
  const hostility = { drop: 20, repeat: 20, delay: 50 };

  const first = await received(7, hostility);

  expect(await received(7, hostility)).toEqual(first);
  expect(await received(8, hostility)).not.toEqual(first);
});

test('messages in transit when a connection closes are lost, even if another opens with its id', async () => {
  const network = new HostileNetwork(1, { drop: 0, repeat: 0, delay: 100 });
  const { channels, gateway } = createFakes({ network: network.carry });
  const got: string[] = [];
  const listen = (message: string) => got.push(message);
  gateway.open('a=', listen);
  await channels.post('a=', 'x');

  gateway.close('a=');
  gateway.open('a=', listen);
  network.settle();

  expect(got).toEqual([]);
});
