// `RUNTIME test/runtimes/main.mjs NAME [worker]` runs the exercise in Node.js, Deno or Bun with
// files, or in a worker. STOWAGE_URL and STOWAGE_KEY are in the environment.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import * as stowage from '../../dist/client/index.mjs';
import { exercise } from './exercise.mjs';

const { STOWAGE_URL: baseUrl, STOWAGE_KEY: apiKey } = process.env;
const bucket = 'runtimes';

async function run(name) {
  const client = new stowage.StowageClient({ baseUrl, apiKey });
  await client.buckets.create(bucket).catch((error) => {
    if (error.code !== 'conflict') throw error;
  });
  const folder = await mkdtemp(path.join(tmpdir(), 'runtime-'));
  const files = {
    target: path.join(folder, 'downloaded'),
    async write(content) {
      const source = path.join(folder, 'content');
      await writeFile(source, content);
      return source;
    },
    isSame: async (content) => Buffer.compare(await readFile(files.target), content) === 0,
  };
  try {
    const prefix = `${name}/`;
    return await exercise(stowage, { baseUrl, apiKey, bucket, prefix, files });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

if (!isMainThread) {
  parentPort.postMessage(await run(workerData));
} else {
  const [name, mode] = process.argv.slice(2);
  const inWorker = () =>
    new Promise((resolve, reject) => {
      const worker = new Worker(new URL(import.meta.url), { workerData: name });
      worker.once('message', resolve).once('error', reject);
    });
  console.log(`${name}: ${await (mode === 'worker' ? inWorker() : run(name))}`);
  process.exit(0);
}
