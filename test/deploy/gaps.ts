/**
 * What MiniStack does otherwise than AWS, row by row of ministack.md. When a check fails, MiniStack
 * has become better: then the row goes, and what stands in for it with it. BASE_URL is edge.ts,
 * GATEWAY_URL the stage itself, without what edge.ts makes up for; with STRICT the deployment
 * streams its answers, and its stage takes one request a second.
 */
import { Agent } from 'undici';
import { emulatorGaps } from './gaps/emulator';
import { gatewayGaps, strictGaps } from './gaps/gateway';
import { storeGaps } from './gaps/store';
import { webSocketGaps } from './gaps/web-socket';

/** Whom the checks ask. */
export interface Target {
  /** Origin that edge.ts serves. */
  readonly base: string;
  /** The deployed stage of the REST API. */
  readonly gateway: string;
  /** Origin of the emulator's own AWS APIs. */
  readonly aws: string;
  readonly key: string;
  /** Bucket of the service, made for the checks. */
  readonly bucket: string;
  /** The S3 bucket of the blobs. */
  readonly contentBucket: string;
  readonly agent: Agent;
}

export interface Gap {
  /** The row of ministack.md. */
  readonly row: string;
  /** Answers what is seen instead, when it is no longer so. */
  readonly seen: (target: Target) => Promise<string | undefined>;
}

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
  if (made.status !== 201) throw new Error(`no bucket: ${made.status} ${await made.text()}`);
}

async function main(): Promise<void> {
  const [base, gateway, aws, key, contentBucket] = [
    'BASE_URL',
    'GATEWAY_URL',
    'AWS_ENDPOINT_URL',
    'API_KEY',
    'CONTENT_BUCKET',
  ].map((name) => {
    const value = process.env[name];
    if (value === undefined) throw new Error(`${name} is not set`);
    return value;
  }) as [string, string, string, string, string];
  const { STRICT } = process.env;
  const bucket = `gaps-${Date.now()}`;
  // No keep-alive: MiniStack closes connections while the next request is on its way.
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
  if (closed.length > 0) throw new Error(`no longer gaps, see ministack.md:\n${closed.join('\n')}`);
  console.log(`${gaps.length} rows are as written down`);
}

if (require.main === module) void main();
