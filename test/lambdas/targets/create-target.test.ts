/** Targets as their settings make them, and what each kind sends. */
import { SQSClient } from '@aws-sdk/client-sqs';
import type { Notification } from '../../../core/targets/notifications';
import { afterTest } from '../../../emulator/test/support/clean-up';
import { createTarget } from '../../../lambdas/targets/create-target';
import { createEventBridgeClient } from '../../../lambdas/targets/target-clients';
import type { TargetSettings } from '../../../lambdas/targets/target-settings';
import { FakeClock } from '../../support/fakes/clock';
import { type ScriptedResponse, startScriptedServer } from '../../support/scripted-server';

beforeAll(() => {
  Object.assign(process.env, {
    ...{ AWS_REGION: 'us-east-1', AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' },
  });
});

const SETTINGS = { id: 'a', address: 'x', buckets: ['*'], startFrom: 'now' } as const;

const RESET: Notification = {
  ...{ type: 'reset', bucket: 'photos', bucket_id: 'b1', reason: 'cursor_expired' },
  ...{ from: 0, to: 4, oldest: 5, head: 9 },
};

/** A notification of one change, with the cursor 5. */
const notification = (type: 'put' | 'delete'): Notification => {
  const deleted = { bucket: 'photos', key: 'k', version: 1, cursor: 5, deleted_at: '2026' };
  const changes = [{ cursor: 5, type, object: deleted }];
  return { ...RESET, type: 'changes', from: 4, to: 5, changes } as Notification;
};

/** The target, and the server to which all AWS clients send. */
async function open(settings: TargetSettings, ...script: readonly ScriptedResponse[]) {
  const server = await startScriptedServer(script);
  afterTest(() => server.stop());
  for (const service of ['SQS', 'EVENTBRIDGE', 'LAMBDA']) {
    process.env[`AWS_ENDPOINT_URL_${service}`] = server.endpoint;
  }
  const sqs = new SQSClient({ maxAttempts: 1, md5: false, useQueueUrlAsEndpoint: false });
  const eventBridge = createEventBridgeClient();
  afterTest(() => sqs.destroy());
  afterTest(() => eventBridge.destroy());
  const target = createTarget({ sqs, eventBridge, clock: new FakeClock() }, settings);
  return { target, server, eventBridge };
}

const ok = (body: object): ScriptedResponse => ({ status: 200, body });

test.each([
  [{ kind: 'function' }, { maxBatchSize: 100, timeoutMs: 80_000 }, '/2015-03-31/functions/x/'],
  [{ kind: 'function', timeout: 5 }, { maxBatchSize: 100, timeoutMs: 25_000 }, '/functions/x/'],
  [{ kind: 'queue' }, { maxBatchSize: 1, timeoutMs: 30_000 }, 'AmazonSQS.SendMessageBatch'],
  [{ kind: 'bus' }, { maxBatchSize: 1, timeoutMs: 30_000 }, 'AWSEvents.PutEvents'],
] as const)('a target with the settings %j has %j', async (settings, limits, called) => {
  const { target, server } = await open(
    { ...SETTINGS, ...settings },
    ok({ Successful: [], Entries: [{ EventId: 'e' }] }),
  );
  const { send, ...fields } = target;
  const { id, buckets, startFrom } = SETTINGS;
  expect(fields).toEqual({ id, buckets, startFrom, ...limits });
  expect(await send([RESET])).toBe(1);
  const [request] = server.received;
  expect(request?.headers['x-amz-target'] ?? request?.path).toContain(called);
});

test('the events of a further request to a bus are named after their own changes', async () => {
  const entries = (count: number) => ok({ Entries: Array(count).fill({ EventId: 'e' }) });
  const { target, server } = await open({ ...SETTINGS, kind: 'bus' }, entries(10), entries(3));
  const sent = [...Array(10).fill(notification('delete')), notification('put'), RESET];
  expect(await target.send(sent)).toBe(12);
  const names = server.received.map(({ body }) =>
    JSON.parse(body).Entries.map((one: { DetailType: string }) => one.DetailType),
  );
  expect(names).toEqual([Array(10).fill('Object Deleted'), ['Object Put', 'Changes Lost']]);
});
