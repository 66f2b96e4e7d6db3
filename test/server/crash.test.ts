/** What a data folder has after its server was killed, or when its disk is full. */
import { once } from 'node:events';
import {
  appendFileSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { checkFolder } from '../../server/data-folder/check';
import { useTemporaryFolder } from '../support/temporary-folder';
import { buildServer, ServerProcess, spawnServer } from './support/server-process';

const KILLS = 40;
const WRITERS = 6;
/** Bytes above the size that lies in the database. */
const LARGE = 100_000;

const root = useTemporaryFolder('crash');
beforeAll(buildServer);

let running: ServerProcess | undefined;
afterEach(() => running?.kill());

async function start(name: string, limits?: string): Promise<ServerProcess> {
  running = await ServerProcess.start(path.join(root, name), limits);
  return running;
}

/** Starts a server with a new folder and the bucket `box`. */
async function startNew(name: string, limits?: string): Promise<ServerProcess> {
  const server = await start(name, limits);
  expect((await server.call('POST', 'buckets', { name: 'box' })).status).toBe(201);
  return server;
}

async function contentOf(server: ServerProcess, key: string): Promise<string | undefined> {
  const response = await server.call('GET', `objects/box/${key}`);
  return response.status === 404 ? undefined : response.text();
}

const problemsOf = async (name: string) => (await checkFolder(path.join(root, name))).problems;

/** The contents that a group of keys, which change together, may have. */
interface Group {
  readonly keys: readonly string[];
  allowed: readonly (string | undefined)[];
}

/** Cursors that were acknowledged, by key. */
type Acknowledged = Map<number, string>;

/** Makes one change of a group, whose keys have the same content before and after it. */
async function change(server: ServerProcess, group: Group, acknowledged: Acknowledged) {
  const { keys, allowed } = group;
  const [key = ''] = keys;
  const isDeletion = Math.random() < 0.2;
  const size = Math.random() < 0.3 && keys.length === 1 ? LARGE : 20;
  const next = isDeletion ? undefined : String(Math.random()).padEnd(size, '.');
  group.allowed = [...allowed, next];
  const content = next === undefined ? undefined : Buffer.from(next).toString('base64');
  const op = isDeletion ? { op: 'delete' } : { op: 'put', content };
  const response =
    keys.length > 1
      ? await server.call('POST', 'commits', {
          bucket: 'box',
          changes: keys.map((each) => ({ ...op, key: each })),
        })
      : await server.call(isDeletion ? 'DELETE' : 'PUT', `objects/box/${key}`, next);
  const answer = await response.text();
  if (!response.ok && response.status !== 404) throw new Error(`${response.status}: ${answer}`);
  group.allowed = response.ok ? [next] : allowed;
  for (const [, named = '', cursor] of answer.matchAll(/"key":"([^"]*)"[^}]*?"cursor":(\d+)/g)) {
    acknowledged.set(Number(cursor), named);
  }
}

/** The files of content, those that were written first before the others. */
function contentFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ parentPath, name }) => path.join(parentPath, name));
}

/** All changes of the bucket: the key of each cursor, in the order of the log. */
async function logOf(server: ServerProcess): Promise<(readonly [number, string])[]> {
  const log: (readonly [number, string])[] = [];
  for (let from = 0; ; ) {
    const response = await server.call('GET', `sync?bucket=box&cursor=${from}&limit=1000`);
    const page = (await response.json()) as {
      to: number;
      head: number;
      changes: { cursor: number; object: { key: string } }[];
    };
    log.push(...page.changes.map(({ cursor, object }) => [cursor, object.key] as const));
    if (page.to >= page.head) return log;
    from = page.to;
  }
}

test(`${KILLS} kills at any moment lose nothing that was acknowledged`, async () => {
  const groups: Group[] = Array.from({ length: WRITERS }, (_, n) => ({
    keys: n % 3 === 0 ? [`${n}/a`, `${n}/b`, `${n}/c`] : [`${n}/only`],
    allowed: [undefined],
  }));
  const acknowledged: Acknowledged = new Map();
  let server = await startNew('killed');
  for (let kill = 1; kill <= KILLS; kill++) {
    const target = server;
    const writers = groups.map(async (group) => {
      while (true) await change(target, group, acknowledged);
    });
    const ends = Promise.allSettled(writers);
    await pause(Math.random() * 250);
    await server.kill();
    // A writer ends because its connection does, and for no other reason.
    for (const end of await ends) {
      expect(end).toMatchObject({ reason: { message: expect.stringMatching(/fetch|terminated/) } });
    }
    server = await start('killed');
    for (const group of groups) {
      const found = await Promise.all(group.keys.map((key) => contentOf(server, key)));
      expect(new Set(found).size).toBe(1);
      expect(group.allowed).toContain(found[0]);
      group.allowed = [found[0]];
    }
    if (kill % 5 === 0) expect(await problemsOf('killed')).toEqual([]);
  }
  const log = await logOf(server);
  const cursors = log.map(([cursor]) => cursor);
  expect(cursors).toEqual([...new Set(cursors)].sort((a, b) => a - b));
  expect([...acknowledged].filter(([cursor, key]) => new Map(log).get(cursor) !== key)).toEqual([]);
  expect(acknowledged.size).toBeGreaterThan(KILLS);
}, 120_000);

test('a second process is refused with a sentence, and the first continues', async () => {
  const server = await startNew('shared');
  const second = spawnServer(path.join(root, 'shared'));
  const errors = second.stderr ? text(second.stderr) : '';
  const [code] = await once(second, 'exit');
  expect([code, await errors]).toEqual([
    1,
    expect.stringMatching(/^another process serves .*: stop it first, .*\n$/),
  ]);
  expect((await server.call('PUT', 'objects/box/still', 'here')).status).toBe(201);
});

test('a torn end of the write-ahead log costs nothing that was acknowledged', async () => {
  const server = await startNew('torn');
  for (let n = 0; n < 10; n++) await server.call('PUT', `objects/box/${n}`, `content ${n}`);
  const wal = path.join(root, 'torn', 'stowage.db-wal');
  const acknowledged = statSync(wal).size;
  const late = Array.from({ length: 10 }, (_, n) =>
    server.call('PUT', `objects/box/late-${n}`, 'late').catch(() => undefined),
  );
  await pause(5);
  await server.kill();
  await Promise.all(late);
  truncateSync(wal, acknowledged);
  appendFileSync(wal, Buffer.alloc(3000, 7));
  const again = await start('torn');
  for (let n = 0; n < 10; n++) expect(await contentOf(again, String(n))).toBe(`content ${n}`);
  expect(await problemsOf('torn')).toEqual([]);
}, 20_000);

test('damaged content is found by a check, and never served as if it were whole', async () => {
  const server = await startNew('damaged');
  const content = 'x'.repeat(300_000);
  await server.call('PUT', 'objects/box/file', content);
  await server.call('PUT', 'objects/box/good', content);
  const signed = { bucket: 'box', key: 'file', method: 'GET' };
  const { url } = (await (await server.call('POST', 'signed-url', signed)).json()) as {
    url: string;
  };
  for (const damage of [
    (file: string) => writeFileSync(file, 'y', { flag: 'r+' }),
    (file: string) => truncateSync(file, 200_000),
    (file: string) => rmSync(file),
  ]) {
    const [file = ''] = contentFiles(path.join(root, 'damaged', 'content'));
    damage(file);
    expect(await problemsOf('damaged')).toHaveLength(1);
    // A connection that ends early, or a refusal.
    const whole = async (response: Promise<Response>) => {
      const { ok, body } = await response;
      return ok && body !== null && (await text(body)) !== '';
    };
    const asked = [server.call('GET', 'objects/box/file'), fetch(url)];
    const results = await Promise.all(asked.map((each) => whole(each).catch(() => false)));
    expect(results).toEqual([false, false]);
    expect(await contentOf(server, 'good')).toBe(content);
  }
}, 20_000);

test('a full disk refuses writes, serves reads, and loses nothing', async () => {
  // No file of the process may grow above this: the system refuses the write, as a full disk does.
  const server = await startNew('full', 'ulimit -f 2048');
  expect((await server.call('PUT', 'objects/box/before', 'here')).status).toBe(201);
  const large = await server.call('PUT', 'objects/box/large', 'x'.repeat(3_000_000));
  expect(large.status).toBe(503);
  expect(await large.json()).toMatchObject({ error: { code: 'unavailable' } });

  const kept = ['before'];
  let refusals = 0;
  for (let n = 0; n < 200 && refusals < 5; n++) {
    const response = await server.call('PUT', `objects/box/${n}`, 'y'.repeat(50_000));
    if (response.ok) kept.push(String(n));
    else {
      refusals += 1;
      expect(response.status).toBe(503);
      expect(await response.json()).toMatchObject({ error: { code: 'unavailable' } });
    }
  }
  expect(refusals).toBe(5);
  expect(await contentOf(server, 'before')).toBe('here');
  await server.kill();
  const again = await start('full');
  const there = await Promise.all(kept.map((key) => contentOf(again, key)));
  expect(there.filter((content) => content === undefined)).toEqual([]);
  expect((await again.call('PUT', 'objects/box/after', 'z'.repeat(3_000_000))).ok).toBe(true);
  expect(await problemsOf('full')).toEqual([]);
}, 40_000);
