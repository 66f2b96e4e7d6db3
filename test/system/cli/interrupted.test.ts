/** The command `stowage` killed in the middle of a copy, and run again. */
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { until } from '../../support/until';
import { useCommandWorld } from './world';

jest.setTimeout(240_000);

const world = useCommandWorld();

/** Records the parts that S3 received, and lets no further part through after PARTS of them. */
const METER = `
const { appendFileSync } = require('node:fs');
const http = require('node:http');
const { connect, createServer } = require('node:net');
const { request } = http;
const silent = createServer((socket) => socket.on('error', () => {}).resume());
silent.listen(0, '127.0.0.1').unref();
let begun = 0;
http.request = (url, options) => {
  const { searchParams } = new URL(url);
  const number = searchParams.get('partNumber');
  if (number === null) return request(url, options);
  begun += 1;
  if (begun > Number(process.env.PARTS)) {
    const createConnection = () => connect(silent.address().port, '127.0.0.1');
    return request(url, { ...options, createConnection });
  }
  const sending = request(url, options);
  sending.once('response', ({ statusCode }) => {
    if (statusCode === 200) appendFileSync(process.env.SENT, number + '\\n');
  });
  return sending;
};
`;

function metered(parts: number) {
  const [meter, sent] = ['meter.cjs', 'sent'].map((name) => path.join(world.folder, name));
  writeFileSync(meter ?? '', METER);
  const env = { NODE_OPTIONS: `--require=${meter}`, SENT: sent ?? '', PARTS: String(parts) };
  const read = () => (existsSync(sent ?? '') ? readFileSync(sent ?? '', 'utf8') : '');
  return { env, sent: () => read().split('\n').slice(0, -1).map(Number) };
}

const saved = () => {
  const folder = path.join(world.folder, '.state/stowage/uploads');
  return existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.json')) : [];
};

test.each(['SIGKILL', 'SIGINT'] as const)(
  'cp of 40 MB that %s ended sends no part again when it is repeated',
  async (signal) => {
    const bucket = await world.newBucket();
    const content = randomBytes(40_000_000);
    world.write('film.mp4', content);
    const before = metered(2).sent().length;
    const first = metered(2);
    const copy = world.stowage.start(['cp', 'film.mp4', `${bucket}:`], first);
    await until('two parts', () => first.sent().length === before + 2);
    const [file = ''] = await until('the state', () => saved().length > 0 && saved());
    const state = path.join(world.folder, '.state/stowage/uploads', file);
    const etags = () => Object.keys(JSON.parse(readFileSync(state, 'utf8')).etags).length;
    await until('two saved parts', () => etags() === 2);
    expect(await copy.end(signal)).toBe(signal === 'SIGINT' ? 130 : null);

    const second = metered(100);
    const args = ['cp', 'film.mp4', `${bucket}:`];
    const { status, stderr } = await world.stowage.start(args, second).ended();
    expect([status, stderr]).toEqual([0, '']);
    expect([...second.sent().slice(before)].sort()).toEqual([1, 2, 3, 4, 5]);
    expect(saved()).toEqual([]);
    await world.stowage.lines('cp', `${bucket}:film.mp4`, 'back.mp4');
    expect(readFileSync(path.join(world.folder, 'back.mp4')).equals(content)).toBe(true);
  },
);
