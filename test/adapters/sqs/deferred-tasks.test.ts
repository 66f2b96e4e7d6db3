import { createHash } from 'node:crypto';
import { parseDeferredTask, SqsDeferredTasks } from '../../../adapters/sqs/deferred-tasks';
import type { DeferredTask } from '../../../core/channel/ports';
import { createSqsClient } from '../../../lambdas/runtime/aws-clients';
import { startScriptedServer } from '../../support/scripted-server';

const ADVANCE: DeferredTask = { advance: { bucket: 'photos', id: 'abcdefghijkl', upTo: 12 } };
const BEGIN: DeferredTask = { begin: { connectionId: 'TXzPWdnOjoECGjA=', bucket: 'photos' } };
const FULL: DeferredTask = {
  begin: { ...BEGIN.begin, bucketId: 'abcdefghijkl', cursor: 0, prefix: 'ü/😀"' },
};
const AGAIN: DeferredTask = { advance: { ...ADVANCE.advance, upTo: 0, looks: 3 } };
const CONSUMER: DeferredTask = { begin: { ...BEGIN.begin, prefix: '', consumer: 'a' } };

const original = { ...process.env };
afterEach(() => {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, original);
});

test('add sends one message to the endpoint of the environment, whatever the host of the queue URL', async () => {
  const MD5OfMessageBody = createHash('md5').update(JSON.stringify(FULL)).digest('hex');
  const server = await startScriptedServer([{ status: 200, body: { MD5OfMessageBody } }]);
  Object.assign(process.env, {
    AWS_REGION: 'eu-west-1',
    AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
    AWS_SECRET_ACCESS_KEY: 'secret',
    AWS_ENDPOINT_URL_SQS: server.endpoint,
  });
  const queueUrl = 'https://sqs.eu-west-1.amazonaws.com/000000000000/follow-ups';
  const client = createSqsClient();
  try {
    await new SqsDeferredTasks(client, queueUrl).add(FULL, 2.5);

    const [request, ...others] = server.received;
    expect(others).toEqual([]);
    expect(request?.headers['x-amz-target']).toBe('AmazonSQS.SendMessage');
    const { MessageBody, ...rest } = JSON.parse(request?.body ?? '');
    expect(rest).toEqual({ QueueUrl: queueUrl, DelaySeconds: 3 });
    expect(parseDeferredTask(MessageBody)).toEqual(FULL);
  } finally {
    client.destroy();
    await server.stop();
  }
});

test.each([[ADVANCE], [AGAIN], [BEGIN], [FULL], [CONSUMER]])(
  'parseDeferredTask returns the task that was sent: %j',
  (task) => {
    expect(parseDeferredTask(JSON.stringify(task))).toStrictEqual(task);
  },
);

test.each([
  ['a text that is no JSON', ''],
  ['a string', '"advance"'],
  ['null', 'null'],
  ['a list', '[]'],
  ['an empty object', '{}'],
  ['two tasks', JSON.stringify({ ...ADVANCE, ...BEGIN })],
  ['an unknown task', JSON.stringify({ ...ADVANCE, forget: {} })],
  ['an advance that is a string', '{"advance":"photos"}'],
  ['an advance of null', '{"advance":null}'],
  ['an advance without cursor', '{"advance":{"bucket":"photos","id":"a"}}'],
  ['an advance to a string', '{"advance":{"bucket":"photos","id":"a","upTo":"12"}}'],
  ['an advance to a fraction', '{"advance":{"bucket":"photos","id":"a","upTo":1.5}}'],
  ['an advance below 0', '{"advance":{"bucket":"photos","id":"a","upTo":-1}}'],
  ['an advance above the safe integers', '{"advance":{"bucket":"photos","id":"a","upTo":1e300}}'],
  [
    'an advance with an unknown field',
    '{"advance":{"bucket":"photos","id":"a","upTo":1,"more":1}}',
  ],
  ['an advance of a number', '{"advance":{"bucket":7,"id":"a","upTo":1}}'],
  ['an advance without an id', '{"advance":{"bucket":"photos","upTo":1}}'],
  ['an advance after -1 looks', '{"advance":{"bucket":"photos","id":"a","upTo":1,"looks":-1}}'],
  ['a begin of null', '{"begin":null}'],
  ['a begin without a connection', '{"begin":{"bucket":"b"}}'],
  ['a begin with an unknown field', '{"begin":{"connectionId":"a","bucket":"b","id":"c"}}'],
  ['a begin with a number for an id', '{"begin":{"connectionId":"a","bucket":"b","bucketId":1}}'],
  ['a begin of a numbered consumer', '{"begin":{"connectionId":"a","bucket":"b","consumer":1}}'],
  ['a begin without bucket', '{"begin":{"connectionId":"a="}}'],
  ['a begin with a number for a prefix', '{"begin":{"connectionId":"a","bucket":"b","prefix":1}}'],
  ['a begin with null for a cursor', '{"begin":{"connectionId":"a","bucket":"b","cursor":null}}'],
])('parseDeferredTask throws for %s', (_, body) => {
  expect(() => parseDeferredTask(body)).toThrow();
});
