/** Uploads and downloads by a program that is killed at random moments, and repeats them. */
import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { finished } from 'node:stream/promises';
import { StowageClient } from '../../../client';
import {
  newDataFolder,
  type Running,
  startLocalService,
} from '../../support/local-service/start-local-service';
import { useTemporaryFolder } from '../../support/temporary-folder';
import { size } from '../support/size';

jest.setTimeout(1_200_000);

const KILLS = size('TRANSFER_KILLS', { small: 2, full: 10 });
const MIB = 1024 ** 2;
const BYTES = size('TRANSFER_BYTES', { small: 60 * MIB + 7, full: 256 * MIB + 7 });
const PROGRAM = path.join(__dirname, '../support/killed-transfer.mjs');

const data = newDataFolder();
const folder = useTemporaryFolder('killed');
const file = (name: string) => path.join(folder, name);
let service: Running;

beforeAll(async () => {
  service = await startLocalService(data.folder);
  const { baseUrl, apiKey } = service;
  await new StowageClient({ baseUrl, apiKey }).buckets.create('photos');
  const out = createWriteStream(file('content'));
  const block = randomBytes(MIB);
  for (let left = BYTES, n = 0; left > 0; left -= MIB, n++) {
    block.writeUInt32BE(n);
    if (!out.write(Buffer.from(block.subarray(0, left)))) await once(out, 'drain');
  }
  await finished(out.end());
});
afterAll(async () => {
  await service.kill();
  data.remove();
});

async function digestOf(name: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const bytes of createReadStream(file(name))) hash.update(bytes);
  return hash.digest('hex');
}

/**
 * Runs the transfer until it is done. Each of the first runs is killed once it has printed two
 * lines, at once or up to `spread` milliseconds later. Returns the lines of each run.
 */
async function transferKilled(kind: 'upload' | 'download', concurrency: number, spread: number) {
  const { baseUrl, apiKey } = service;
  const own = { path: file(kind === 'upload' ? 'content' : 'copy'), notes: file('notes.json') };
  const settings = JSON.stringify({ kind, baseUrl, apiKey, concurrency, ...own });
  const runs: string[][] = [];
  for (;;) {
    const child = spawn(process.execPath, [PROGRAM, settings], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exited = once(child, 'exit');
    let timer: NodeJS.Timeout | undefined;
    const lines: string[] = [];
    for await (const line of createInterface({ input: child.stdout })) {
      lines.push(line);
      // Each run gets a little further.
      if (runs.length >= KILLS || lines.length < 2 || timer) continue;
      timer = setTimeout(() => child.kill('SIGKILL'), Math.random() * spread);
    }
    await exited;
    clearTimeout(timer);
    runs.push(lines.filter((line) => line !== 'done'));
    if (lines.at(-1) === 'done') return runs;
  }
}

/** How many parts were sent again after each kill, on average. */
function sentAgain(runs: readonly (readonly string[])[]): number {
  const begun = runs.flat();
  return (begun.length - new Set(begun).size) / Math.max(1, runs.length - 1);
}

/** How many bytes were received again after each kill. */
function receivedAgain(runs: readonly (readonly string[])[]): readonly number[] {
  const bytesOf = (line = '') => Number(/\d+/.exec(line)?.[0] ?? 0);
  return runs.slice(1).map((run, index) => bytesOf(runs[index]?.at(-1)) - bytesOf(run[0]));
}

test(`an upload that is killed ${KILLS} times sends at most one part again each time`, async () => {
  const runs = await transferKilled('upload', 1, 200);
  expect(runs.length).toBeGreaterThan(1);
  expect(sentAgain(runs)).toBeLessThanOrEqual(1);
});

test(`a download that is killed ${KILLS} times receives at most one range again each time`, async () => {
  const { baseUrl, apiKey } = service;
  await new StowageClient({ baseUrl, apiKey }).upload('photos', 'killed', {
    path: file('content'),
  });
  const runs = await transferKilled('download', 1, 200);
  expect(runs.length).toBeGreaterThan(1);
  expect(Math.max(...receivedAgain(runs))).toBeLessThanOrEqual(16 * MIB);
  expect(await digestOf('copy')).toBe(await digestOf('content'));
});

test(`a kill repeats at most the parts that were being sent concurrently`, async () => {
  const runs = await transferKilled('upload', 4, 500);
  expect(sentAgain(runs)).toBeLessThanOrEqual(4);
  const { baseUrl, apiKey } = service;
  const client = new StowageClient({ baseUrl, apiKey });
  await client.download('photos', 'killed', { path: file('checked') });
  expect(await digestOf('checked')).toBe(await digestOf('content'));
});
