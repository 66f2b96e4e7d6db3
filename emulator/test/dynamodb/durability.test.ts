import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { useFolder } from '../support/clean-up';
import { failure } from '../support/failure';
import { kill, useProcess } from '../support/service-process';
import { until } from '../support/until';
import { allRecords, LOG_SHARD, useClient, useService } from './service';

const key = (id: string, n = 1) => ({ id: { S: id }, n: { N: `${n}` } });

const SCRIPT = join(__dirname, 'service-process.ts');

function enginePid(dataDir: string): number {
  return JSON.parse(readFileSync(join(dataDir, 'engine.json'), 'utf8')).engine;
}

/** A zombie process has an empty command line. */
function isRunning(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8') !== '';
  } catch {
    return false;
  }
}

test('every acknowledged write and its record survive kill -9 of the service under load', async () => {
  const dataDir = useFolder();
  const acknowledged: { id: string; n: number }[] = [];
  for (let round = 0; round < 3; round++) {
    const { child, endpoint } = await useProcess(SCRIPT, dataDir);
    const client = useClient(endpoint);
    const writer = async (id: string) => {
      for (let n = 0; ; n++) {
        const insert = (TableName: string) => ({
          Put: { TableName, Item: key(id, n), ConditionExpression: 'attribute_not_exists(id)' },
        });
        try {
          await client.transactWriteItems({ TransactItems: [insert('Log'), insert('Notes')] });
          acknowledged.push({ id, n });
        } catch {
          return;
        }
      }
    };
    const goal = acknowledged.length + 150;
    const writers = Array.from({ length: 8 }, (_, index) => writer(`${round}-${index}`));
    await until(() => acknowledged.length >= goal, 20_000);
    await kill(child);
    await Promise.all(writers);
  }

  const service = await useService({ dataDir });
  const names = (items: readonly { readonly [name: string]: unknown }[]) =>
    new Set(items.map((item) => JSON.stringify({ id: item.id, n: item.n })));
  const records = await allRecords(service);
  const inStream = names(records.map(({ dynamodb }) => dynamodb.NewImage ?? {}));
  const stored = await Promise.all(
    ['Log', 'Notes'].map(async (table) => names(await everything(service.endpoint, table))),
  );
  const wanted = acknowledged.map(({ id, n }) => JSON.stringify(key(id, n)));

  expect(wanted.length).toBeGreaterThanOrEqual(450);
  expect(wanted.filter((name) => !inStream.has(name))).toEqual([]);
  // A write whose response was lost has a record. A write that did not happen has no record.
  expect([...inStream].sort()).toEqual([...(stored[0] ?? [])].sort());
  expect(stored[0]).toEqual(stored[1]);
});

async function everything(endpoint: string, TableName: string) {
  const client = useClient(endpoint);
  const ids = Array.from({ length: 24 }, (_, index) => `${Math.floor(index / 8)}-${index % 8}`);
  const pages = await Promise.all(
    ids.map((id) =>
      client.query({
        TableName,
        KeyConditionExpression: 'id = :id',
        ExpressionAttributeValues: { ':id': { S: id } },
      }),
    ),
  );
  return pages.flatMap((page) => page.Items ?? []);
}

test('a record that is not in the stream when the service is killed is added after the restart', async () => {
  const dataDir = useFolder();
  // Records are delayed by up to ten minutes: none of these is in the stream at the kill.
  const { child, endpoint } = await useProcess(SCRIPT, dataDir, '600000');
  const client = useClient(endpoint);
  const put = (id: string) => client.putItem({ TableName: 'Log', Item: key(id) });
  await Promise.all(['a', 'b', 'c'].map(put));
  await failure(
    client.putItem({
      TableName: 'Log',
      Item: key('refused'),
      ConditionExpression: 'attribute_exists(id)',
    }),
  );
  await kill(child);

  const service = await useService({ dataDir });

  const ids = (await allRecords(service)).map(({ dynamodb }) => dynamodb.NewImage?.id);
  expect(ids).toHaveLength(3);
  expect(ids).toEqual(expect.arrayContaining([{ S: 'a' }, { S: 'b' }, { S: 'c' }]));
});

test('the engine exits when the service is killed, so that the next service can start', async () => {
  const dataDir = useFolder();
  const { child } = await useProcess(SCRIPT, dataDir);
  const pid = enginePid(dataDir);
  expect(isRunning(pid)).toBe(true);

  await kill(child);
  await until(() => !isRunning(pid));

  const { endpoint } = await useService({ dataDir });
  const { TableNames } = await useClient(endpoint).listTables({});
  expect(TableNames).toEqual(['Log', 'Notes']);
});

test('a start stops an engine whose service and watchdog were killed', async () => {
  const dataDir = useFolder();
  const { child } = await useProcess(SCRIPT, dataDir);
  const pid = enginePid(dataDir);
  for (const watchdog of watchdogsOf(pid)) process.kill(watchdog, 'SIGKILL');
  await kill(child);
  expect(isRunning(pid)).toBe(true);

  await useService({ dataDir });

  expect(isRunning(pid)).toBe(false);
});

/** Returns the shell that started the engine, and the one that waits for the end of the service. */
function watchdogsOf(engine: number): number[] {
  const [shell] = parentOf(engine);
  const children = readFileSync(`/proc/${shell}/task/${shell}/children`, 'utf8');
  const others = children.trim().split(' ').map(Number);
  return [...others.filter((pid) => pid !== engine), shell];
}

function parentOf(pid: number): [number] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return [Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])];
}

test('a stopped service leaves no engine, and its data is available after a restart', async () => {
  const dataDir = useFolder();
  const first = await useService({ dataDir });
  const pid = enginePid(dataDir);
  await useClient(first.endpoint).putItem({ TableName: 'Log', Item: key('a') });
  await first.streams.saveCheckpoint(LOG_SHARD, 'Fanout', '5');
  await first.stop();
  await first.stop();
  const exited = !isRunning(pid);

  const second = await useService({ dataDir });
  const client = useClient(second.endpoint);
  const read = await client.getItem({ TableName: 'Log', Key: key('a') });
  await client.deleteItem({ TableName: 'Log', Key: key('a') });

  expect(exited).toBe(true);
  expect(read.Item).toEqual(key('a'));
  expect((await allRecords(second)).map((record) => record.eventName)).toEqual([
    'INSERT',
    'REMOVE',
  ]);
  expect(await second.streams.checkpoint(LOG_SHARD, 'Fanout')).toBe('5');
});

test('refuses a data folder that another service uses', async () => {
  const dataDir = useFolder();
  await useService({ dataDir });
  const error = await failure(useService({ dataDir }));
  expect(error).toMatchObject({
    name: 'UserError',
    message: expect.stringContaining(`in use by process ${process.pid}`),
  });
});

test('returns 500 when the engine is killed, and restores the write and its record after a restart', async () => {
  const dataDir = useFolder();
  const service = await useService({ dataDir });
  const client = useClient(service.endpoint);
  await client.putItem({ TableName: 'Log', Item: key('a') });
  process.kill(enginePid(dataDir), 'SIGKILL');

  const error = await failure(client.putItem({ TableName: 'Log', Item: key('b') }));
  await service.stop();
  const again = await useService({ dataDir });

  expect(error.name).toBe('InternalServerError');
  expect((await allRecords(again)).map(({ dynamodb }) => dynamodb.Keys)).toEqual([key('a')]);
});
