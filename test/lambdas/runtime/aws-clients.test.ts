import { type DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { ListObjectsV2Command, type S3Client } from '@aws-sdk/client-s3';
import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import {
  createDynamoClient,
  createS3Client,
  createSqsClient,
} from '../../../lambdas/runtime/aws-clients';
import { type ScriptedResponse, startScriptedServer } from '../../support/scripted-server';

const original = { ...process.env };
beforeEach(() => {
  for (const name of ['', '_DYNAMODB', '_S3', '_SQS']) {
    delete process.env[`AWS_ENDPOINT_URL${name}`];
  }
  Object.assign(process.env, {
    ...{ AWS_REGION: 'eu-west-1', AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' },
  });
  // Repeats at once.
  jest.spyOn(Math, 'random').mockReturnValue(0);
});
afterEach(() => {
  jest.restoreAllMocks();
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, original);
});

type Client = DynamoDBClient | S3Client | SQSClient;

const CALLS = {
  DYNAMODB: {
    create: createDynamoClient,
    call: (client: Client) => (client as DynamoDBClient).send(new ListTablesCommand({})),
    requestTimeout: 3_000,
  },
  S3: {
    create: createS3Client,
    call: (client: Client) =>
      (client as S3Client).send(new ListObjectsV2Command({ Bucket: 'content' })),
    requestTimeout: 10_000,
  },
  SQS: {
    create: createSqsClient,
    call: (client: Client) =>
      (client as SQSClient).send(
        new SendMessageCommand({ QueueUrl: 'https://sqs.example/1/q', MessageBody: 'x' }),
      ),
    requestTimeout: 3_000,
  },
};

/** What the server received of a call, and with which timeouts the client called. */
async function callOf(name: keyof typeof CALLS, variable: string, script: ScriptedResponse[]) {
  const server = await startScriptedServer(script);
  process.env[variable] = server.endpoint;
  const { create, call } = CALLS[name];
  const client = create();
  try {
    const outcome = await call(client).then(
      () => 'done',
      () => 'failed',
    );
    const { requestHandler } = client.config as unknown as {
      readonly requestHandler: { httpHandlerConfigs(): object };
    };
    return { outcome, handler: requestHandler.httpHandlerConfigs(), received: server.received };
  } finally {
    client.destroy();
    await server.stop();
  }
}

describe.each(['DYNAMODB', 'S3', 'SQS'] as const)('the client of %s', (name) => {
  test.each([`AWS_ENDPOINT_URL_${name}`, 'AWS_ENDPOINT_URL'])(
    'calls the endpoint of %s, three times at most, each within its timeouts',
    async (variable) => {
      const { outcome, handler, received } = await callOf(name, variable, [{ status: 500 }]);
      expect([outcome, received.length]).toEqual(['failed', 3]);
      expect(handler).toMatchObject({
        ...{ connectionTimeout: 1_000, throwOnRequestTimeout: true },
        requestTimeout: CALLS[name].requestTimeout,
      });
    },
  );
});

test('the client of S3 has the bucket in the path at another endpoint, else in the host', () => {
  const hasPath = () => createS3Client().config.forcePathStyle;
  expect(hasPath()).toBe(false);
  for (const variable of ['AWS_ENDPOINT_URL_S3', 'AWS_ENDPOINT_URL']) {
    process.env[variable] = 'http://s3.example';
    expect(hasPath()).toBe(true);
    delete process.env[variable];
  }
});
