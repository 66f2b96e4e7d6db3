/**
 * Checks each difference between MiniStack and AWS that ministack.md lists. A check that fails
 * means that MiniStack has improved: remove its row and the workaround for it. STOWAGE_URL is
 * edge.ts and GATEWAY_URL the stage itself, without the workarounds in edge.ts. With STRICT the
 * deployment streams its responses, and its stage accepts one request a second.
 */
import { Agent } from 'undici';
import { emulatorGaps } from './gaps/emulator';
import type { Gap } from './gaps/gap';
import { gatewayGaps, strictGaps } from './gaps/gateway';
import { storeGaps } from './gaps/store';
import { webSocketGaps } from './gaps/web-socket';

export const GAPS: readonly Gap[] = [
  ...gatewayGaps,
  ...storeGaps,
  ...emulatorGaps,
  ...webSocketGaps,
];

async function makeBucket(base: string, key: string, name: string): Promise<void> {
  const made = await fetch(`${base}/api/v2/storage/buckets`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: JSON.stringify({ name }),
  });
  if (made.status !== 201)
    throw new Error(`the bucket was not created: ${made.status} ${await made.text()}`);
}

async function main(): Promise<void> {
  const [base, gateway, aws, key, contentBucket] = [
    'STOWAGE_URL',
    'GATEWAY_URL',
    'AWS_ENDPOINT_URL',
    'STOWAGE_KEY',
    'CONTENT_BUCKET',
  ].map((name) => {
    const value = process.env[name];
    if (value === undefined) throw new Error(`${name} is not set`);
    return value;
  }) as [string, string, string, string, string];
  const { STRICT } = process.env;
  const bucket = `gaps-${Date.now()}`;
  // Without keep-alive: MiniStack closes connections while the next request is being sent.
  const agent = new Agent({ pipelining: 0 });
  if (STRICT === undefined) await makeBucket(base, key, bucket);
  const target = { base, gateway, aws, key, bucket, contentBucket, agent };
  const closed: string[] = [];
  const gaps = STRICT === undefined ? GAPS : strictGaps;
  for (const { row, seen } of gaps) {
    const better = await seen(target);
    if (better !== undefined) closed.push(`${row}: ${better}`);
  }
  await agent.destroy();
  if (closed.length > 0)
    throw new Error(
      `MiniStack now behaves as AWS; remove these rows of ministack.md:\n${closed.join('\n')}`,
    );
  console.log(`${gaps.length} rows of ministack.md still apply`);
}

if (require.main === module) void main();
