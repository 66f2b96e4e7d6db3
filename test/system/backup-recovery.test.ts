/**
 * The tables of the running service are reset to an earlier moment, or lost, while S3 keeps its
 * content; `stowage restore-backup` restores the descriptors and every byte, as HTTP reads them.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import {
  CreateTableCommand,
  DescribeTableCommand,
  type DynamoDBClient,
} from '@aws-sdk/client-dynamodb';
import { copyTable, type TableRef } from '../../cli/operate/backup-recovery/copy-table';
import { until } from '../support/until';
import { Command } from './support/command';
import { runInProcess } from './support/in-process';
import {
  newDataFolder,
  openStores,
  type Running,
  startLocalService,
} from './support/local-service';

jest.setTimeout(300_000);

/** The fields of a descriptor that S3 alone restores; docs/backup.md has the same table. */
const COMES_BACK = {
  bucket: 'exactly',
  key: 'exactly',
  size: 'exactly',
  etag: 'exactly',
  content_type: 'exactly',
  metadata: 'exactly',
  checksum_sha256: 'exactly',
  created_at: 'nearly',
  updated_at: 'nearly',
  version: 'new',
  cursor: 'new',
} as const;

/** Headers of GET that are not part of the descriptor. */
const HEADERS = ['cache-control', 'content-disposition', 'content-encoding', 'content-language'];

/**
 * S3's time has no fraction of a second, and a busy machine may take a while between storing the
 * blob and the commit.
 */
const NEARLY_MS = 20_000;

/** Enough objects for a kill in the middle of a restore to leave a part of them. */
const MANY = 50;

type Descriptor = Readonly<Record<string, unknown>>;

interface Seen {
  readonly descriptor: Descriptor;
  readonly headers: readonly (string | null)[];
  readonly body: string;
}

interface Table {
  readonly live: TableRef;
  readonly backup: TableRef;
}

let data: ReturnType<typeof newDataFolder>;
let service: Running;
let tables: Readonly<Record<string, Table>>;
let dynamo: DynamoDBClient;

const settled = (milliseconds: number) =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

function send(method: string, place: string, init: RequestInit = {}): Promise<Response> {
  const headers = { authorization: `Bearer ${service.apiKey}`, ...init.headers };
  return fetch(`${service.baseUrl}/api/v2/storage${place}`, { ...init, method, headers });
}

async function ok(request: Promise<Response>): Promise<Response> {
  const response = await request;
  if (!response.ok) throw new Error(`${response.url}: ${response.status} ${await response.text()}`);
  return response;
}

const placeOf = (key: string) =>
  `/objects/photos/${key.split('/').map(encodeURIComponent).join('/')}`;
const put = (key: string, body: string, headers: Record<string, string> = {}) =>
  ok(send('PUT', placeOf(key), { body, headers }));
const remove = (key: string) => ok(send('DELETE', placeOf(key)));

async function keysOf(): Promise<string[]> {
  const { objects } = (await (await ok(send('GET', '/objects/photos?limit=1000'))).json()) as {
    objects: { key: string }[];
  };
  return objects.map(({ key }) => key);
}

async function seeAll(): Promise<ReadonlyMap<string, Seen>> {
  const all = new Map<string, Seen>();
  for (const key of await keysOf()) {
    const descriptor = await (await ok(send('GET', `${placeOf(key)}?view=descriptor`))).json();
    const got = await ok(send('GET', placeOf(key)));
    const headers = HEADERS.map((name) => got.headers.get(name));
    all.set(key, { descriptor: descriptor as Descriptor, headers, body: await got.text() });
  }
  return all;
}

/** Uploads with a signed URL; returns when the object is committed. */
async function upload(key: string, body: string): Promise<void> {
  const content = { content_type: 'text/csv', cache_control: 'max-age=7' };
  const ask = { bucket: 'photos', key, method: 'PUT', ...content };
  const minted = (await (
    await ok(send('POST', '/signed-url', { body: JSON.stringify(ask) }))
  ).json()) as { url: string; headers: Record<string, string> };
  await ok(fetch(minted.url, { method: 'PUT', headers: minted.headers, body }));
  for (let tries = 0; !(await keysOf()).includes(key); tries++) {
    if (tries === 600) throw new Error(`${key} did not appear`);
    await settled(100);
  }
}

async function writeMuch(): Promise<void> {
  await ok(send('POST', '/buckets', { body: '{"name":"photos"}' }));
  await put('plain', 'plain');
  await put('empty', '');
  await put('Ünï/cödé /日本/😀 +&=%', 'name');
  await put('all', '{"a":1}', {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'private, max-age=60',
    'content-disposition': 'attachment; filename="a b.json"',
    'content-language': 'de, en',
    'x-object-meta-colour': 'dark blue',
    'x-object-meta-empty': '',
  });
  await put('all/within', 'a key below another');
  await upload('by-url', 'a,b\n');
  for (let n = 0; n < 5; n++) await put('often', `often ${n}`, { 'x-object-meta-n': `${n}` });
  await put('deleted', 'soon');
  for (let n = 0; n < MANY; n++) await put(`many/${n}`, `${n}`);
}

/** Runs the command and returns what it prints. */
async function restoreBackup(...args: string[]): Promise<string> {
  const all = ['restore-backup', ...args, '--data', data.folder];
  const { status, stdout, stderr } = await runInProcess(all, { env: process.env });
  if (status !== 0) throw new Error(`restore-backup ${args.join(' ')}: ${stderr}`);
  return stdout;
}

async function openTables(): Promise<Readonly<Record<string, Table>>> {
  const { outputs } = JSON.parse(readFileSync(path.join(data.folder, 'endpoints.json'), 'utf8'));
  const opened: Record<string, Table> = {};
  for (const table of ['Buckets', 'Objects', 'Changes', 'Uploads']) {
    const live = outputs[`${table}TableName`] as string;
    const backup = `restored-${table}`;
    const { Table } = await dynamo.send(new DescribeTableCommand({ TableName: live }));
    await dynamo.send(
      new CreateTableCommand({
        TableName: backup,
        BillingMode: 'PAY_PER_REQUEST',
        KeySchema: Table?.KeySchema,
        // Without those of an index, which the copy does not have.
        AttributeDefinitions: Table?.AttributeDefinitions?.filter(({ AttributeName: name }) =>
          Table.KeySchema?.some(({ AttributeName }) => AttributeName === name),
        ),
      }),
    );
    opened[table] = {
      live: { client: dynamo, name: live },
      backup: { client: dynamo, name: backup },
    };
  }
  return opened;
}

/** The items that point-in-time recovery would restore. */
async function takeBackup(): Promise<void> {
  for (const { live, backup } of Object.values(tables)) await copyTable(live, backup, true);
}

async function restart(): Promise<void> {
  await service.interrupt();
  service = await startLocalService(data.folder);
  dynamo = openStores(data.folder).dynamo;
}

function expectRestored(now: Seen | undefined, was: Seen | undefined): void {
  if (!now || !was) throw new Error('is missing');
  expect([now.body, now.headers]).toEqual([was.body, was.headers]);
  expect(Object.keys(now.descriptor)).toEqual(Object.keys(was.descriptor));
  for (const [field, how] of Object.entries(COMES_BACK)) {
    const [is, then] = [now.descriptor[field], was.descriptor[field]];
    if (how === 'exactly') expect([field, is]).toEqual([field, then]);
    if (how !== 'nearly') continue;
    const late = Date.parse(String(then)) - Date.parse(String(is));
    expect([field, Math.abs(late) < NEARLY_MS]).toEqual([field, true]);
  }
}

beforeEach(async () => {
  data = newDataFolder();
  service = await startLocalService(data.folder);
  dynamo = openStores(data.folder).dynamo;
  tables = await openTables();
  await writeMuch();
});

afterEach(async () => {
  await service?.interrupt();
  dynamo?.destroy();
  data.remove();
});

test('restore-backup recovers later writes and resets followers after tables were restored', async () => {
  const moment = new Date();
  await takeBackup();
  // More than the margin within which a deletion before the moment is applied.
  await put('all', 'newer', { 'x-object-meta-colour': 'red' });
  await put('new', 'new');
  await upload('new-by-url', 'x');
  await remove('deleted');
  const before = await seeAll();
  const last = Number(before.get('new')?.descriptor.cursor);

  for (const table of ['Buckets', 'Objects'] as const) {
    const { live, backup } = tables[table] as Table;
    const printed = await restoreBackup('copy', '--from', backup.name, '--to', live.name);
    expect(printed).toMatch(/would be put/);
    await restoreBackup('copy', '--from', backup.name, '--to', live.name, '--apply');
  }
  expect(await keysOf()).not.toContain('new');
  const dry = await restoreBackup('repair', '--moment', moment.toISOString());
  expect(dry).toMatch(/3 would be recovered, 0 without bytes would be deleted/);
  expect(await keysOf()).not.toContain('new');
  const printed = await restoreBackup('repair', '--moment', moment.toISOString(), '--apply');
  expect(printed).toMatch(/3 recovered, 0 without bytes deleted/);

  const after = await seeAll();
  expect([...after.keys()].sort()).toEqual([...before.keys(), 'deleted'].sort());
  for (const [key, was] of before) {
    const untouched = !['all', 'new', 'new-by-url'].includes(key);
    if (untouched) expect(after.get(key)).toEqual(was);
    else expectRestored(after.get(key), was);
  }
  for (const cursor of [0, last, last + 1]) {
    const page = await send('GET', `/sync?bucket=photos&cursor=${cursor}`);
    expect([cursor, page.status]).toEqual([cursor, 410]);
  }
  const list = (await (await send('GET', '/objects/photos')).json()) as { cursor: number };
  const { cursor } = (await (await put('later', 'x')).json()) as { cursor: number };
  const page = await send('GET', `/sync?bucket=photos&cursor=${list.cursor}`);
  const { changes, from } = (await page.json()) as { changes: { cursor: number }[]; from: number };
  expect([from, changes.at(-1)?.cursor]).toEqual([list.cursor, cursor]);
});

test('restore-backup recovers everything in S3 after lost tables and an interrupted run', async () => {
  await remove('plain');
  const before = await seeAll();
  for (const { live, backup } of Object.values(tables)) {
    // There is no backup: the source is an empty table of the same schema.
    await copyTable(backup, live, true);
  }
  await restart();
  expect((await send('GET', '/objects/photos')).status).toBe(404);

  const killed = new Command(data.folder, service).start([
    ...['restore-backup', 'repair', '--lost', '--apply', '--data', data.folder],
  ]);
  for (let found = 0; found < MANY / 5 && killed.isRunning; await settled(5)) {
    const list = await send('GET', '/objects/photos?limit=1000');
    const { objects = [] } = (await list.json()) as { objects?: unknown[] };
    found = objects.length;
  }
  // On a slow machine it may have finished before the signal.
  expect([null, 0]).toContain(await killed.end('SIGKILL'));
  expect(await restoreBackup('repair', '--lost')).toMatch(/nothing was changed/);
  await restoreBackup('repair', '--lost', '--apply');

  const after = await seeAll();
  // A deleted object whose bytes still exist is restored: S3 does not record the deletion.
  expect([...after.keys()].sort()).toEqual([...before.keys(), 'plain'].sort());
  for (const [key, was] of before) {
    expectRestored(after.get(key), was);
    expect([key, after.get(key)?.descriptor.version]).toEqual([key, 1]);
  }
  // The counters follow the log.
  await until('the number of objects', async () => {
    const bucket = await (await send('GET', '/buckets/photos')).json();
    return (bucket as { object_count: number }).object_count === after.size;
  });
  expect((await send('GET', '/sync?bucket=photos&cursor=3')).status).toBe(410);
  expect(await (await put('plain', 'again')).json()).toMatchObject({ version: 2 });
});
