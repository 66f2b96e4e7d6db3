/** Many requests with one signal. Prints the warnings of Node.js: `many-requests.ts SETTINGS`. */
import { setImmediate } from 'node:timers/promises';
import { StowageClient } from '../../../client';

const warnings: string[] = [];
process.on('warning', ({ message }) => warnings.push(message));
const client = new StowageClient(JSON.parse(process.argv[2] ?? ''));
const { signal } = new AbortController();

async function run(): Promise<void> {
  const each = Array.from({ length: 50 }, (_, nth) => nth);
  for (const _ of each) await (await client.get('photos', 'cat', { signal })).text();
  const responses = await Promise.all(each.map(() => client.get('photos', 'cat', { signal })));
  await Promise.all(responses.map((response) => response.text()));
  const content = new Uint8Array(1);
  await Promise.all(each.map((nth) => client.upload('photos', `${nth}`, content, { signal })));
  await setImmediate();
  console.log(JSON.stringify(warnings));
}

void run();
