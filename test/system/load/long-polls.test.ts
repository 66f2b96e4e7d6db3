/**
 * One key that sends long polls without a pause, and the requests of another key meanwhile, in an
 * account with few concurrent executions. POLLS sets the number of polls.
 */
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { createApiKey } from '../../../cli/operate/api-keys';
import { ALL_PERMISSIONS } from '../../../core/access/permissions';
import type { Permission } from '../../../core/access/ports';
import { until } from '../../support/until';
import { Client, type Reply } from '../support/client';
import {
  newDataFolder,
  openStores,
  type Running,
  startLocalService,
} from '../support/local-service';
import { size } from '../support/size';

const POLLS = size('POLLS', { small: 150, full: 1_000 });
/** Fewer than the polls, so that polls that all waited would use it up. */
const CONCURRENCY = size('CONCURRENCY', { small: 40, full: 300 });
const TURNS = 5;
/** Every second request of the other key comes with a poll. */
const PER_TURN = Math.ceil((2 * POLLS) / TURNS);
/** More turns, when another program has disturbed some. */
const MOST_TURNS = 3 * TURNS;
/** The p99 during the polls, in relation to the p99 without them. */
const MOST = 3;

/** Together they may list far more often than one client can, which waits for each response. */
const OTHER_KEYS = 20;

const SYNC: readonly Permission[] = [{ buckets: ['photos'], actions: ['sync'] }];
const POLL = '/sync?bucket=photos&cursor=0&wait=20';

jest.setTimeout(20 * 60_000);

const data = newDataFolder();
let service: Running;
let victim: Client;
let attacker: Client;
let attackerKey: string;
let otherKeys: readonly string[];
let stores: ReturnType<typeof openStores>;

beforeAll(async () => {
  service = await startLocalService(data.folder, ['--lambda-concurrency', String(CONCURRENCY)]);
  victim = new Client(service);
  stores = openStores(data.folder);
  const newKey = (permissions: readonly Permission[]) =>
    createApiKey(stores.dynamo, stores.keyTables, { name: 'k', permissions, by: 'a test' });
  attackerKey = await newKey(SYNC);
  otherKeys = await Promise.all(Array.from({ length: OTHER_KEYS }, () => newKey(ALL_PERMISSIONS)));
  attacker = new Client({ ...service, apiKey: attackerKey }, { connections: POLLS });
  expect((await victim.send('POST', '/buckets', '{"name":"photos"}')).status).toBe(201);
});
afterAll(async () => {
  stores.close();
  await Promise.all([victim.close(), attacker.close()]);
  await service.kill();
  data.remove();
});

/** The p99 of the requests with other keys, milliseconds; `poll` comes before every second one. */
async function turn(poll: () => void): Promise<number> {
  const times: number[] = [];
  for (let n = 0; n < PER_TURN; n++) {
    if (n % 2 === 0) poll();
    const started = performance.now();
    const key = otherKeys[n % OTHER_KEYS];
    expect((await victim.send('GET', '/buckets', undefined, key)).status).toBe(200);
    times.push(performance.now() - started);
  }
  return times.sort((a, b) => a - b)[Math.ceil(times.length * 0.99) - 1] ?? 0;
}

const median = (values: readonly number[]) =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

test('many long polls of one key delay neither another key nor revocation', async () => {
  const polls: Promise<Reply>[] = [];
  const poll = () => {
    const reply = attacker.send('GET', POLL);
    // The end of the test breaks the connections of a test that failed.
    reply.catch(() => undefined);
    polls.push(reply);
  };
  const [quiet, busy]: [number[], number[]] = [[], []];
  await turn(() => undefined);
  // The emulator starts the environments one by one, which AWS does at once.
  const short = POLL.replace('wait=20', 'wait=3');
  await Promise.all(Array.from({ length: 12 }, () => attacker.send('GET', short)));
  const ratioOf = () => median(busy) / median(quiet);
  while (busy.length < TURNS || (ratioOf() > MOST && busy.length < MOST_TURNS)) {
    quiet.push(await turn(() => undefined));
    busy.push(await turn(poll));
  }
  const ratio = ratioOf();
  process.stdout.write(
    `p99 of another key: ${median(quiet).toFixed(1)} ms, ` +
      `during ${polls.length} long polls ${median(busy).toFixed(1)} ms: ${ratio.toFixed(2)} times\n`,
  );
  expect(ratio).toBeLessThanOrEqual(MOST);

  for (let n = 0; n < 5; n++) poll();
  const signIn = path.join(__dirname, '../../../dist/cli/stowage.js');
  const token = execFileSync(process.execPath, [signIn, 'sign-in', '--data', data.folder], {
    encoding: 'utf8',
  }).trim();
  const [, id] = attackerKey.split('_');
  const revoked = await fetch(`${service.baseUrl}/admin/v1/keys/${id}/revoke`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
  });
  expect(revoked.status).toBe(200);
  await until(
    'the key to be refused',
    async () => (await attacker.send('GET', POLL)).status === 401,
  );
  const statuses = (await Promise.all(polls)).map(({ status }) => status);
  expect(statuses.filter((status) => ![200, 401, 429].includes(status))).toEqual([]);
});
