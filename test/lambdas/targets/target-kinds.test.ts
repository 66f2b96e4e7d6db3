/** The kinds of targets, on the emulator's services and on servers that fail. */
import { PurgeQueueCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { ChangesNotification, Notification } from '../../../core/targets/notifications';
import { allowAll } from '../../../emulator/src/iam/allow-all';
import { startSqs } from '../../../emulator/src/services/sqs/sqs';
import { define } from '../../../emulator/test/sqs/queues';
import { afterTest, useFolder } from '../../../emulator/test/support/clean-up';
import { createSqsClient } from '../../../lambdas/runtime/aws-clients';
import { BusTarget } from '../../../lambdas/targets/bus-target';
import { FunctionTarget } from '../../../lambdas/targets/function-target';
import { QueueTarget } from '../../../lambdas/targets/queue-target';
import {
  createEventBridgeClient,
  createLambdaClient,
} from '../../../lambdas/targets/target-clients';
import { FakeClock } from '../../support/fakes/clock';
import { type ScriptedResponse, startScriptedServer } from '../../support/scripted-server';

const [region, accountId] = ['us-east-1', '000000000000'];
const iam = allowAll();
const BUCKET_ID = 'abcdefghijkl';

beforeAll(() => {
  Object.assign(process.env, {
    AWS_REGION: region,
    AWS_ACCESS_KEY_ID: iam.root.accessKeyId,
    AWS_SECRET_ACCESS_KEY: iam.root.secretAccessKey,
  });
});

/** One notification for each cursor of (from, to]; every third one has no change. */
function notifications(from: number, to: number, key = 'k'): ChangesNotification[] {
  return Array.from({ length: to - from }, (_, n): ChangesNotification => {
    const cursor = from + n + 1;
    const object = {
      bucket: 'photos',
      key: `${key}${cursor}`,
      version: 1,
      cursor,
      deleted_at: '2026-01-01T00:00:00.000Z',
    };
    const changes = cursor % 3 === 0 ? [] : [{ cursor, type: 'delete' as const, object }];
    const range = { from: cursor - 1, to: cursor, head: to };
    return { type: 'changes', bucket: 'photos', bucket_id: BUCKET_ID, ...range, changes };
  });
}

const RESET: Notification = {
  type: 'reset',
  bucket: 'photos',
  bucket_id: BUCKET_ID,
  reason: 'cursor_expired',
  from: 0,
  to: 4,
  oldest: 5,
  head: 9,
};

/** A server that responds by the script; `requests`: what it received, as JSON. */
async function useScript(variable: string, ...script: ScriptedResponse[]) {
  const server = await startScriptedServer(script);
  afterTest(() => server.stop());
  process.env[variable] = server.endpoint;
  return { ...server, requests: () => server.received.map(({ body }) => JSON.parse(body)) };
}

const ok = (body: object): ScriptedResponse => ({ status: 200, body });

describe('a queue target', () => {
  async function useQueue(name: string) {
    const fifo = name.endsWith('.fifo')
      ? { fifo: { contentBased: false, scope: 'queue' as const } }
      : {};
    const queues = [define(name, fifo)];
    const sqs = await startSqs({ queues, dataDir: useFolder(), iam, region, accountId, port: 0 });
    afterTest(() => sqs.stop());
    process.env.AWS_ENDPOINT_URL_SQS = sqs.endpoint;
    const client = createSqsClient();
    afterTest(() => client.destroy());
    const QueueUrl = `${sqs.endpoint}/${accountId}/${name}`;
    const received = async () => {
      const messages: unknown[] = [];
      for (;;) {
        const receive = new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 });
        const { Messages = [] } = await client.send(receive);
        if (Messages.length === 0) return messages;
        messages.push(...Messages.map(({ Body = '' }) => JSON.parse(Body)));
        // In a FIFO queue, messages in flight hide those behind them.
        if (name.endsWith('.fifo')) return messages;
      }
    };
    return {
      target: new QueueTarget(client, QueueUrl, new FakeClock()),
      client,
      QueueUrl,
      received,
    };
  }

  test.each(['changes', 'changes.fifo'])(
    '%s receives every message as it was sent',
    async (name) => {
      const { target, received } = await useQueue(name);
      const messages: Notification[] = [RESET, ...notifications(4, 12)];
      expect(await target.send(messages)).toBe(9);
      expect(await received()).toEqual(messages);
    },
  );

  test.each(['changes', 'changes.fifo'])('%s receives keys that XML cannot hold', async (name) => {
    const { target, received } = await useQueue(name);
    const messages = notifications(0, 2, '\uFFFE\uFFFF"\\ü😀\u2028');
    expect(await target.send(messages)).toBe(2);
    expect(await received()).toEqual(messages);
  });

  test('drops a message that is sent twice when it is a FIFO queue', async () => {
    const { target, received } = await useQueue('changes.fifo');
    const messages = notifications(0, 5);
    await target.send(messages);
    await target.send(messages.slice(2));
    expect(await received()).toEqual(messages);
  });

  test('receives more than one request can carry in several requests', async () => {
    const { target, received, client, QueueUrl } = await useQueue('changes');
    const messages = notifications(0, 12, 'k'.repeat(100_000));
    expect(await target.send(messages)).toBe(12);
    expect(await received()).toEqual(messages);
    await client.send(new PurgeQueueCommand({ QueueUrl }));
  });

  const URL_OF = `https://sqs.us-east-1.amazonaws.com/${accountId}/changes`;
  const done = (...ids: string[]) =>
    ids.map((Id) => ({ Id, MessageId: 'm', MD5OfMessageBody: '' }));

  function scripted(url = URL_OF, clock = new FakeClock()) {
    const client = new SQSClient({ maxAttempts: 1, md5: false, useQueueUrlAsEndpoint: false });
    afterTest(() => client.destroy());
    return new QueueTarget(client, url, clock);
  }

  test('has accepted what precedes the first failure of a batch that fails in part', async () => {
    const Failed = [{ Id: '2', Code: 'InternalError', SenderFault: false }];
    const script = await useScript(
      'AWS_ENDPOINT_URL_SQS',
      ok({ Successful: done(...[...Array(10).keys()].map(String)) }),
      ok({ Successful: done('0', '1', '3'), Failed }),
    );
    expect(await scripted().send(notifications(0, 14))).toBe(12);
    expect(script.received).toHaveLength(2);
  });

  test('throws the reason when it accepts nothing', async () => {
    await useScript('AWS_ENDPOINT_URL_SQS', {
      status: 403,
      body: { __type: 'com.amazon.coral.service#AccessDeniedException', message: 'not you' },
    });
    await expect(scripted().send(notifications(0, 3))).rejects.toThrow('not you');
    await expect(scripted(`${URL_OF}.fifo`).send(notifications(0, 3))).rejects.toThrow('not you');
  });

  test('receives nothing after a message that failed when it is a FIFO queue', async () => {
    const script = await useScript(
      'AWS_ENDPOINT_URL_SQS',
      ok({ MessageId: 'm', SequenceNumber: '1' }),
      { status: 500, body: { __type: 'com.amazonaws.sqs#InternalError', message: 'oops' } },
    );
    expect(await scripted(`${URL_OF}.fifo`).send(notifications(0, 3))).toBe(1);
    expect(script.requests().map((one) => one.MessageDeduplicationId)).toEqual([
      `${BUCKET_ID}-changes-1`,
      `${BUCKET_ID}-changes-2`,
    ]);
    expect(script.requests()[0]).toMatchObject({ MessageGroupId: BUCKET_ID });
  });

  test('receives no further request after 15 seconds', async () => {
    await useScript('AWS_ENDPOINT_URL_SQS', ok({ MessageId: 'm', SequenceNumber: '1' }));
    const clock = new FakeClock();
    const slow = {
      now: () => {
        clock.advance(6_000);
        return clock.now();
      },
    };
    const client = new SQSClient({ maxAttempts: 1, md5: false, useQueueUrlAsEndpoint: false });
    afterTest(() => client.destroy());
    const target = new QueueTarget(client, `${URL_OF}.fifo`, slow);
    expect(await target.send(notifications(0, 50))).toBe(3);
  });
});

describe('a bus target', () => {
  const target = () => {
    const client = createEventBridgeClient();
    afterTest(() => client.destroy());
    return new BusTarget(
      client,
      'arn:aws:events:us-east-1:000000000000:event-bus/b',
      new FakeClock(),
    );
  };
  const response = (...failed: number[]) =>
    ok({
      FailedEntryCount: failed.length,
      Entries: [...Array(10).keys()].map((n) =>
        failed.includes(n) ? { ErrorCode: 'InternalFailure' } : { EventId: `e${n}` },
      ),
    });

  test('receives an event for each log entry, named after the change', async () => {
    const script = await useScript('AWS_ENDPOINT_URL_EVENTBRIDGE', response());
    const [first, second, third] = notifications(0, 3);
    if (!first || !second || !third) throw new Error('three');
    const messages = [RESET, first, third];
    expect(await target().send(messages)).toBe(3);
    const [{ Entries }] = script.requests();
    expect(Entries).toEqual(
      ['Changes Lost', 'Object Deleted', 'Cursor Unused'].map((DetailType, n) => ({
        Source: 'stowage',
        DetailType,
        Detail: JSON.stringify(messages[n]),
        EventBusName: 'arn:aws:events:us-east-1:000000000000:event-bus/b',
      })),
    );
  });

  test('has accepted what precedes the first failure of a request that fails in part', async () => {
    await useScript('AWS_ENDPOINT_URL_EVENTBRIDGE', response(), response(3, 7));
    expect(await target().send(notifications(0, 20))).toBe(13);
  });

  test('throws the reason when it accepts nothing', async () => {
    const refusal = { __type: 'AccessDeniedException', message: 'not you' };
    await useScript('AWS_ENDPOINT_URL_EVENTBRIDGE', { status: 400, body: refusal });
    await expect(target().send(notifications(0, 3))).rejects.toThrow('not you');
  });
});

describe('a function target', () => {
  const target = (timeout = 5_000) => {
    const client = createLambdaClient(timeout);
    afterTest(() => client.destroy());
    return new FunctionTarget(client, 'arn:aws:lambda:us-east-1:000000000000:function:fn');
  };

  test('is invoked with the notification, and has accepted it when it succeeds', async () => {
    const script = await useScript('AWS_ENDPOINT_URL_LAMBDA', { status: 200, body: 'null' });
    expect(await target().send([RESET])).toBe(1);
    expect(script.requests()).toEqual([RESET]);
    expect(script.received[0]?.headers['x-amz-invocation-type'] ?? 'RequestResponse').toBe(
      'RequestResponse',
    );
  });

  test('has not accepted a notification when it throws, and the error holds its reason', async () => {
    const headers = { 'x-amz-function-error': 'Unhandled' };
    const body = { errorMessage: 'no disk' };
    const script = await useScript('AWS_ENDPOINT_URL_LAMBDA', { status: 200, headers, body });
    await expect(target().send([RESET])).rejects.toThrow('no disk');
    // One attempt: core/targets counts failures and backs off between attempts.
    expect(script.received).toHaveLength(1);
  });

  test('has accepted the first notification when it fails at the second', async () => {
    const headers = { 'x-amz-function-error': 'Unhandled' };
    const script = [
      { status: 200, body: 'null' },
      { status: 200, headers, body: {} },
    ];
    await useScript('AWS_ENDPOINT_URL_LAMBDA', ...script);
    expect(await target().send([RESET, RESET])).toBe(1);
  });

  test('fails after its timeout when it does not respond', async () => {
    const script = await useScript('AWS_ENDPOINT_URL_LAMBDA', 'silence');
    await expect(target(200).send([RESET])).rejects.toThrow();
    expect(script.received).toHaveLength(1);
  });

  test('can carry a hundred changes with the largest descriptors in one invocation', () => {
    const text = '\\'.repeat(900);
    const object = {
      ...notifications(0, 1, text)[0]?.changes[0]?.object,
      metadata: { a: '\\'.repeat(2048) },
      content_type: '\\'.repeat(1024),
      ...Object.fromEntries([...'bcdefgh'].map((name) => [name, '\\'.repeat(1024)])),
    };
    expect(100 * JSON.stringify(object).length).toBeLessThan(6_291_456 / 2);
  });
});
