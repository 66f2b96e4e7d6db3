import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { DynamoDB } from '@aws-sdk/client-dynamodb';
import { S3 } from '@aws-sdk/client-s3';
import { UserError } from '../../src/errors/user-error';
import type { LocalRuntime } from '../../src/runtime/runtime';
import { useFolder } from '../support/clean-up';
import { until } from '../support/until';
import { smallTemplate } from './cdk-out';
import { expectRefusal, OWN_ENGINE, useRuntime } from './service';

function clients({ endpoints, iam }: LocalRuntime) {
  const common = { region: 'us-east-1', credentials: iam.root };
  return {
    s3: new S3({ ...common, endpoint: endpoints.s3, forcePathStyle: true }),
    dynamodb: new DynamoDB({ ...common, endpoint: endpoints.dynamodb }),
  };
}

async function post(runtime: LocalRuntime, body: unknown) {
  const response = await fetch(runtime.baseUrl, { method: 'POST', body: JSON.stringify(body) });
  return { status: response.status, text: await response.text() };
}

test('a request, a stream record and an upload invoke the functions of the template', async () => {
  const { runtime } = await useRuntime();
  const { s3 } = clients(runtime);
  const Bucket = runtime.outputs.BucketName;
  const seen = (key: string) =>
    s3.headObject({ Bucket, Key: `seen/${key}` }).then(
      () => true,
      () => false,
    );

  // API -> table -> stream -> bucket
  expect(await post(runtime, { attempt: 'item', id: 'from-api' })).toEqual({
    status: 200,
    text: 'done',
  });
  await until(() => seen('from-api'));

  // bucket -> event -> table -> stream -> bucket
  const Key = 'uploads/a b+ä.txt';
  await s3.putObject({ Bucket, Key, Body: 'x' });
  await until(() => seen(Key));
  s3.destroy();
});

test('a function is refused a call that its role does not allow', async () => {
  const { runtime } = await useRuntime();
  const { status, text } = await post(runtime, { attempt: 'object', key: 'x' });
  expect(status).toBe(403);
  expect(text).toMatch(/AccessDenied.*s3:PutObject/);
});

test('a restart keeps the written items and the credentials', async () => {
  const { runtime, dataDir } = await useRuntime(smallTemplate(), OWN_ENGINE);
  await post(runtime, { attempt: 'item', id: 'kept' });
  const { accessKeyId } = runtime.iam.root;
  await runtime.stop();

  const { runtime: again } = await useRuntime(smallTemplate(), { ...OWN_ENGINE, dataDir });

  expect(again.iam.root.accessKeyId).toBe(accessKeyId);
  const { dynamodb } = clients(again);
  const { TableName } = again.outputs;
  const { Item } = await dynamodb.getItem({ TableName, Key: { id: { S: 'kept' } } });
  expect(Item).toEqual({ id: { S: 'kept' } });
  dynamodb.destroy();
});

test('writes the addresses and credentials to a file that only its owner may read', async () => {
  const { runtime, dataDir } = await useRuntime();
  const file = join(dataDir, 'endpoints.json');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
    baseUrl: runtime.baseUrl,
    apis: {},
    endpoints: runtime.endpoints,
    region: 'us-east-1',
    outputs: runtime.outputs,
    credentials: runtime.iam.root,
  });
});

test('two runtimes run in one process, each on its own data folder', async () => {
  const first = await useRuntime();
  const second = await useRuntime(smallTemplate(), OWN_ENGINE);
  await post(first.runtime, { attempt: 'item', id: 'first' });
  const { dynamodb } = clients(second.runtime);
  const { TableName } = second.runtime.outputs;
  const response = await dynamodb.getItem({ TableName, Key: { id: { S: 'first' } } });
  expect(response.Item).toBeUndefined();
  dynamodb.destroy();
});

test('a second runtime on the same data folder is refused until the first has stopped', async () => {
  const { runtime, dataDir } = await useRuntime();
  const second = useRuntime(smallTemplate(), { dataDir });
  await expect(second).rejects.toThrow(UserError);
  await expect(second).rejects.toThrow(`in use by process ${process.pid}`);
  await Promise.all([runtime.stop(), runtime.stop()]);
  await useRuntime(smallTemplate(), { dataDir });
});

test.each(['port', 's3Port', 'dynamodbPort'] as const)(
  'a %s that is taken is reported in one line',
  async (name) => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const dataDir = join(useFolder(), 'data');

    const taken = useRuntime(smallTemplate(), { dataDir, [name]: port });
    const failure = await taken.catch((error: unknown) => error);

    await new Promise((resolve) => server.close(resolve));
    expect(failure).toBeInstanceOf(UserError);
    expect((failure as UserError).message).toMatch(new RegExp(`port ${port}.*taken: .*--ports`));
    expect((failure as UserError).message).not.toContain('\n');
    // The failed start left no lock.
    expect(existsSync(join(dataDir, 'runtime.pid'))).toBe(false);
    await useRuntime(smallTemplate(), { dataDir });
  },
);

test('a data folder that is a file is reported in one line', async () => {
  const dataDir = join(useFolder(), 'data');
  writeFileSync(dataDir, '');

  const started = useRuntime(smallTemplate(), { dataDir });

  await expect(started).rejects.toEqual(
    new UserError(`${dataDir}: the data folder cannot be used: there is a file of that name`),
  );
});

test.each<[string, (resources: Record<string, Record<string, unknown>>) => void, string]>([
  [
    'an unknown type',
    (resources) => {
      resources.Queue = { Type: 'AWS::Kinesis::Stream' };
    },
    'Queue: type AWS::Kinesis::Stream',
  ],
  [
    'a bucket that may not invoke its function',
    (resources) => {
      delete resources.S3MayInvokeIngest;
      delete resources.Bucket?.DependsOn;
    },
    'Bucket.NotificationConfiguration',
  ],
  [
    'a role that may not read its stream',
    (resources) => {
      (resources.FanoutRole?.Properties as Record<string, unknown>).Policies = [];
    },
    'Mapping: User:',
  ],
])('refuses a template with %s before it starts the gateways', async (_, change, message) => {
  const template = smallTemplate();
  change(template.Resources);
  await expectRefusal(template, message);
});
