/**
 * What following costs in AWS calls, as the bill has it (scripts/cost/calls.ts) and the comments of
 * core/channel and of the functions, counted on the real adapters.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ApiGatewayManagementApiClient } from '@aws-sdk/client-apigatewaymanagementapi';
import { SQSClient } from '@aws-sdk/client-sqs';
import { newApiKey } from '../../../core/access/api-key';
import { ALL_PERMISSIONS } from '../../../core/access/permissions';
import { mintTicket } from '../../../core/channel/handshake';
import { changesPage } from '../../../core/channel/page';
import { startPendingSubscription } from '../../../core/channel/pending-subscription';
import { sha256Base64 } from '../../../core/http/digests';
import { publishChanges } from '../../../core/log/publish';
import { BucketIds } from '../../../core/objects/bucket-ids';
import { createBucket } from '../../../core/objects/buckets';
import { putObject } from '../../../core/objects/objects';
import { allowAll } from '../../../emulator/src/iam/allow-all';
import { startSqs } from '../../../emulator/src/services/sqs/sqs';
import { serve } from '../../../emulator/test/websocket/service';
import { createChannel } from '../../../lambdas/channel/app';
import { createFanout } from '../../../lambdas/fanout/app';
import { createRevocation } from '../../../lambdas/revocation/app';
import { SqsDeferredTasks } from '../../../lambdas/shared/sqs/deferred-tasks';
import { GatewayChannels } from '../../../lambdas/shared/websocket/channels';
import { callsOf } from '../../../scripts/cost/calls';
import { FakeClock } from '../../support/fakes/clock';
import { type Service, startService } from '../../support/service';

jest.setTimeout(30_000);

const [REGION, ACCOUNT, QUEUE] = ['us-east-1', '000000000000', 'follow-ups'];
const dataDir = mkdtempSync(join(tmpdir(), 'stowage-calls-'));
const iam = allowAll();
let service: Service;
let sqs: Awaited<ReturnType<typeof startSqs>>;
let sqsClient: SQSClient;
let calls: string[] = [];

beforeAll(async () => {
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
  watch(sqsClient);
});
afterAll(async () => {
  sqsClient.destroy();
  await sqs.stop();
  await service.stop();
  rmSync(dataDir, { recursive: true });
});

/** Notes each call of the client. */
function watch(client: SQSClient | ApiGatewayManagementApiClient): void {
  // Typed per client by the SDK; what is read here is the same for both.
  (client as SQSClient).middlewareStack.add(
    (next, { commandName = '' }) =>
      (call) => {
        calls.push(commandName.replace(/Command$/, ''));
        return next(call);
      },
    { step: 'initialize' },
  );
}

/** `{ GetItem: 2, … }` */
async function cost(work: () => Promise<unknown>): Promise<Record<string, number>> {
  calls = [];
  await work();
  const counts: Record<string, number> = {};
  for (const call of calls) counts[call] = (counts[call] ?? 0) + 1;
  return counts;
}

let buckets = 0;

/**
 * A bucket of its own, and everything of the functions on it, beside a gateway in which connections
 * open.
 */
async function setUp() {
  const clock = new FakeClock();
  const opened = service.open({
    clock,
    watch: (call, when) => {
      if (when === 'before') calls.push(call);
    },
  });
  const gateway = await serve();
  const management = gateway.management();
  watch(management);
  const deps = {
    ...opened,
    bucketIds: new BucketIds(opened.buckets),
    channels: new GatewayChannels(management),
    deferredTasks: new SqsDeferredTasks(sqsClient, `${sqs.endpoint}/${ACCOUNT}/${QUEUE}`),
    allowedOrigins: [],
  };
  const sync = createChannel(deps);
  const name = `bucket-${++buckets}`;
  await createBucket(deps, name);
  const { id: keyId, text, secretHash } = newApiKey();
  const key = {
    id: keyId,
    name: 'k',
    secretHash,
    permissions: ALL_PERMISSIONS,
    createdAt: clock.iso(),
  };
  await service.putKey(key);
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
    sync({
      requestContext: requestContext(connectionId, 'CONNECT'),
      headers,
      multiValueQueryStringParameters: Object.fromEntries(
        Object.entries(query).map(([field, value]) => [field, [value]]),
      ),
    });
  const say = (connectionId: string, message: unknown) => {
    // Not within a burst.
    clock.advance(1000);
    const body = JSON.stringify(message);
    return sync({ requestContext: requestContext(connectionId, 'MESSAGE'), body });
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
    sync({ requestContext: requestContext(connectionId, 'DISCONNECT') });
  return { deps, clock, name, key, gateway, connect, say, write, open, follow, end };
}

/** Reading a range of at least 8 numbers. */
const LOG = 8;

test('a handshake', async () => {
  const { deps, clock, name, key, connect } = await setUp();
  await connect('first');
  clock.advance(60_000);
  const accepted = callsOf('handshake');
  expect(await cost(() => connect('a'))).toEqual(accepted);
  // More than a moment apart: the lease of the limit has lapsed.
  clock.advance(60_000);
  const queued = { ...accepted, SendMessage: 1 };
  expect(await cost(() => connect('b', { bucket: name }))).toEqual(queued);
  const wanted = { keyId: key.id, bucket: name, prefix: '', generation: 0 };
  clock.advance(60_000);
  let ticket = '';
  const minting = async () => {
    ({ text: ticket } = await mintTicket(deps, wanted));
  };
  expect(await cost(minting)).toEqual({ PutItem: 1 });
  const redeemed = { ...accepted, DeleteItem: 1 };
  expect(await cost(() => connect('c', { ticket }, {}))).toEqual(redeemed);
});

test('a handshake that is refused', async () => {
  const { connect } = await setUp();
  expect(await cost(() => connect('a', {}, {}))).toEqual({});
  expect(await cost(() => connect('a', { ticket: 'none' }, {}))).toEqual({ DeleteItem: 1 });
});

test('subscribing: at the head, and with something to replay', async () => {
  const { name, open, say, write } = await setUp();
  await write(LOG);
  const subscribe = { action: 'subscribe', bucket: name };
  const [first, second] = [await open(), await open()];
  // Of the message, of the key twice, of the bucket three times two.
  const atHead = callsOf('subscribe');
  expect(await cost(() => say(first, { ...subscribe, cursor: LOG }))).toEqual(atHead);
  const replayed = { ...atHead, GetItem: 10, Query: 8, PostToConnection: 2 };
  expect(await cost(() => say(second, { ...subscribe, cursor: 0 }))).toEqual(replayed);
});

test('subscribing from now, while something is not delivered yet', async () => {
  const { name, open, say, write } = await setUp();
  await write(LOG);
  const id = await open();
  expect(await cost(() => say(id, { action: 'subscribe', bucket: name }))).toEqual({
    UpdateItem: 1,
    GetItem: 8,
    Query: 8,
    TransactWriteItems: 1,
    PostToConnection: 1,
  });
});

test('a subscription of the handshake', async () => {
  const { deps, name, open } = await setUp();
  const connectionId = await open();
  expect(
    await cost(() => startPendingSubscription(deps, { connectionId, bucket: name, cursor: 0 })),
  ).toEqual({
    GetConnection: 1,
    GetItem: 9,
    TransactWriteItems: 1,
    PostToConnection: 1,
  });
});

test('unsubscribing, and the end of a connection', async () => {
  const { name, follow, say, end } = await setUp();
  const [first, second] = [await follow(), await follow()];
  expect(await cost(() => say(first, { action: 'unsubscribe', bucket: name }))).toEqual({
    UpdateItem: 1,
    TransactWriteItems: 1,
    PostToConnection: 1,
  });
  expect(await cost(() => end(second))).toEqual(callsOf('disconnect'));
  expect(await cost(() => end(second))).toEqual({ UpdateItem: 1 });
});

test('a ping: when nothing was lost, and when something was', async () => {
  const { clock, name, follow, say, write } = await setUp();
  const id = await follow();
  const ping = { action: 'ping', cursors: { [name]: 0 } };
  const nothing = callsOf('ping');
  expect(await cost(() => say(id, ping))).toEqual(nothing);
  expect(await cost(() => say(id, { action: 'ping' }))).toEqual({ ...nothing, GetItem: 1 });
  await write(LOG);
  expect(await cost(() => say(id, ping))).toEqual({ ...nothing, GetItem: 3, Query: 1 });
  clock.advance(30_000);
  const replayed = { ...nothing, GetItem: 7, Query: 9, PostToConnection: 2 };
  expect(await cost(() => say(id, ping))).toEqual(replayed);
});

test('a message that is refused, and one in a burst', async () => {
  const { deps, gateway, connect, say } = await setUp();
  const { connectionId } = await gateway.connect();
  await connect(connectionId);
  const refused = await cost(() => say(connectionId, { action: 'dance' }));
  expect(refused).toEqual({ UpdateItem: 1, PostToConnection: 1 });
  const rate = { interval: 50, burst: 50 };
  const again = () => deps.subscriptions.admitMessage(connectionId, deps.clock.now(), rate);
  expect(await cost(again)).toEqual({ UpdateItem: 2 });
});

describe('delivering', () => {
  const wake = (bucket: string) => ({
    Records: [
      {
        eventName: 'INSERT' as const,
        dynamodb: { SequenceNumber: '1', NewImage: { bucket: { S: bucket } } },
      },
    ],
  });

  test.each([1, 3, 40])(
    'to %d followers: one post each, everything else once',
    async (followers) => {
      const { deps, name, follow, write } = await setUp();
      for (let n = 0; n < followers; n++) await follow();
      await write(LOG);
      const fanout = createFanout(deps);
      const posts = Array.from({ length: followers }, () => 'post' as const);
      expect(await cost(() => fanout(wake(name)))).toEqual(callsOf('publishSeveral', ...posts));
      // What was delivered is not delivered again.
      expect(await cost(() => fanout(wake(name)))).toEqual({ GetItem: 3 });
    },
  );

  test('one change costs 1 Query of the log, not 8', async () => {
    const { deps, name, follow, write } = await setUp();
    await follow();
    await write(1);
    const counted = await cost(() => createFanout(deps)(wake(name)));
    expect(counted).toEqual(callsOf('publishOne', 'post'));
  });

  test('up to a hole, which is looked at again', async () => {
    const { deps, name, follow, write } = await setUp();
    await follow();
    await write(4);
    const record = await deps.buckets.get(name);
    await deps.commits.allocate({ name, id: record?.id ?? '' });
    await write(4);
    expect(await cost(() => createFanout(deps)(wake(name)))).toEqual({
      GetItem: 4,
      Query: 12,
      UpdateItem: 1,
      PostToConnection: 1,
      SendMessage: 1,
    });
  });
});

test('a key that is revoked: its channels are closed, each by the same calls', async () => {
  const { deps, key, clock, follow } = await setUp();
  await follow();
  await follow();
  const revocation = createRevocation(deps);
  const dynamodb = { Keys: { id: { S: key.id } }, SequenceNumber: '1' };
  const event = { Records: [{ eventName: 'MODIFY' as const, dynamodb }] };
  // Renamed: each is looked at, kept, and its subscription told the key's expiry.
  expect(await cost(() => revocation(event))).toEqual({ UpdateItem: 3, GetItem: 3, Query: 1 });
  await service.putKey({ ...key, revokedAt: clock.iso() });
  expect(await cost(() => revocation(event))).toEqual({
    UpdateItem: 3,
    GetItem: 3,
    Query: 1,
    PostToConnection: 2,
    DeleteConnection: 2,
    BatchWriteItem: 2,
    DeleteItem: 2,
  });
});

test('a page: at the head, with something to read, and waiting', async () => {
  const { deps, name, write } = await setUp();
  await write(LOG);
  await publishChanges(deps, name);
  const page = { bucket: name, prefix: '', limit: 500, wait: 0 };
  expect(await cost(() => changesPage(deps, page))).toEqual({ GetItem: 2 });
  expect(await cost(() => changesPage(deps, { ...page, cursor: LOG }))).toEqual({ GetItem: 2 });
  expect(await cost(() => changesPage(deps, { ...page, cursor: 0 }))).toEqual({
    GetItem: 2,
    Query: 8,
  });
  const waiting = { ...page, cursor: LOG, wait: 20 };
  // 2 before, and 1 for each of the looks.
  expect(await cost(() => changesPage(deps, waiting))).toEqual({ GetItem: 2 + 23 });
});
