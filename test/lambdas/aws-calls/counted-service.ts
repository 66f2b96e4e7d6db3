/**
 * A service whose AWS calls are counted on the real adapters, for the tests that compare them with
 * scripts/cost/calls.ts and with the comments of core/channel and of the functions.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SQSClient } from '@aws-sdk/client-sqs';
import { SqsDeferredTasks } from '../../../adapters/sqs/deferred-tasks';
import { GatewayChannels } from '../../../adapters/websocket/channels';
import { newApiKey } from '../../../core/access/api-key';
import { ALL_PERMISSIONS } from '../../../core/access/permissions';
import type { ApiKeyRecord } from '../../../core/access/ports';
import { BucketIds } from '../../../core/buckets/bucket-ids';
import { createBucket } from '../../../core/buckets/buckets';
import { sha256Base64 } from '../../../core/http/digests';
import { putObject } from '../../../core/objects/objects';
import { allowAll } from '../../../emulator/src/iam/allow-all';
import { startSqs } from '../../../emulator/src/services/sqs/sqs';
import { serve } from '../../../emulator/test/websocket/service';
import { createChannel } from '../../../lambdas/channel/app';
import { createConnectionsClient } from '../../../lambdas/runtime/aws-clients';
import { FakeClock } from '../../support/fakes/clock';
import { type Service, startService } from '../../support/service';
import { type WatchCall, watchCalls } from '../../support/watched-client';

const [REGION, ACCOUNT, QUEUE] = ['us-east-1', '000000000000', 'follow-ups'];
const dataDir = mkdtempSync(join(tmpdir(), 'stowage-calls-'));
const iam = allowAll();
let service: Service;
let sqs: Awaited<ReturnType<typeof startSqs>>;
let sqsClient: SQSClient;
let calls: string[] = [];

/** Starts the service before the tests of a file, and stops it after them. */
export function useCountedService(): void {
  beforeAll(start);
  afterAll(stop);
}

async function start(): Promise<void> {
  service = await startService();
  const queue = {
    name: QUEUE,
    arn: `arn:aws:sqs:${REGION}:${ACCOUNT}:${QUEUE}`,
    delay: 0,
    visibilityTimeout: 30_000,
    retention: 60_000,
    receiveWait: 0,
    maxMessageBytes: 1_048_576,
  };
  const options = { queues: [queue], dataDir, iam, region: REGION, accountId: ACCOUNT, port: 0 };
  sqs = await startSqs(options);
  sqsClient = new SQSClient({ region: REGION, endpoint: sqs.endpoint, credentials: iam.root });
  watchCalls(sqsClient, count);
}

async function stop(): Promise<void> {
  sqsClient.destroy();
  await sqs.stop();
  await service.stop();
  rmSync(dataDir, { recursive: true });
}

const count: WatchCall = (call, when) => {
  if (when === 'before') calls.push(call);
};

/** The AWS calls of the work: `{ GetItem: 2, … }`. */
export async function cost(work: () => Promise<unknown>): Promise<Record<string, number>> {
  calls = [];
  await work();
  const counts: Record<string, number> = {};
  for (const call of calls) counts[call] = (counts[call] ?? 0) + 1;
  return counts;
}

let buckets = 0;

/** A bucket of its own, a gateway that accepts connections, and the functions on both. */
export async function setUp() {
  const clock = new FakeClock();
  const opened = service.open({ clock, watch: count });
  const gateway = await serve();
  const management = createConnectionsClient(gateway.api.endpoint, {
    credentials: gateway.iam.root,
    region: gateway.stack.region,
  });
  const deps = {
    ...opened,
    bucketIds: new BucketIds(opened.buckets),
    channels: new GatewayChannels(watchCalls(management, count)),
    deferredTasks: new SqsDeferredTasks(sqsClient, `${sqs.endpoint}/${ACCOUNT}/${QUEUE}`),
    allowedOrigins: [],
  };
  const channel = createChannel(deps);
  const name = `bucket-${++buckets}`;
  await createBucket(deps, name);
  const { id: keyId, text, secretHash } = newApiKey();
  const key: ApiKeyRecord = {
    id: keyId,
    name: 'k',
    secretHash,
    permissions: ALL_PERMISSIONS,
    createdAt: clock.iso(),
  };
  const putKey = (changed: Partial<ApiKeyRecord> = {}) => service.putKey({ ...key, ...changed });
  await putKey();
  const requestContext = (
    connectionId: string,
    eventType: 'CONNECT' | 'MESSAGE' | 'DISCONNECT',
  ) => ({
    connectionId,
    requestId: 'request-1',
    eventType,
  });
  const connect = (
    connectionId: string,
    query: Readonly<Record<string, string>> = {},
    headers: Readonly<Record<string, string>> = { authorization: `Bearer ${text}` },
  ) =>
    channel({
      requestContext: requestContext(connectionId, 'CONNECT'),
      headers,
      multiValueQueryStringParameters: Object.fromEntries(
        Object.entries(query).map(([field, value]) => [field, [value]]),
      ),
    });
  const say = (connectionId: string, message: unknown) => {
    // So that the message is not in a burst, and needs a lease of its own.
    clock.advance(3000);
    const body = JSON.stringify(message);
    return channel({ requestContext: requestContext(connectionId, 'MESSAGE'), body });
  };
  const write = async (count: number) => {
    const body = Buffer.from('x');
    const checksumSha256 = sha256Base64(body);
    const content = { body, contentType: 'a/b', headers: {}, metadata: {}, checksumSha256 };
    const options = { conditions: () => undefined, conditional: false };
    for (let n = 0; n < count; n++)
      await putObject(deps, { bucket: name, key: `k${n}` }, content, options);
  };
  const open = async () => {
    const { connectionId } = await gateway.connect();
    await connect(connectionId);
    return connectionId;
  };
  const follow = async (cursor?: number) => {
    const connectionId = await open();
    await say(connectionId, { action: 'subscribe', bucket: name, cursor });
    return connectionId;
  };
  const end = (connectionId: string) =>
    channel({ requestContext: requestContext(connectionId, 'DISCONNECT') });
  return { deps, clock, name, key, putKey, gateway, connect, say, write, open, follow, end };
}

/** A range of at least 8 cursors is read by 8 Query. */
export const LOG = 8;
