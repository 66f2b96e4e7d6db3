import { createStackIam } from '../../src/iam/stack-iam';
import { queueDefinitions } from '../../src/services/sqs/queue-definition';
import type { ResolvedStack } from '../../src/template/model';
import { failure } from '../support/failure';
import { attribute } from '../support/template';
import { urlOf, useClient, useService } from './service';
import { queuePolicy, queueStack } from './stack';

const ROLE = 'arn:aws:iam::000000000000:role/role';

/** Returns a client with the credentials of the stack's role. */
async function useRole(stack: ResolvedStack) {
  const iam = createStackIam(stack, 'seed');
  const service = await useService({ queues: queueDefinitions(stack), iam });
  const client = useClient(service.endpoint, { credentials: iam.credentialsForRole(ROLE) });
  return { iam, service, client, QueueUrl: urlOf(service) };
}

const denied = (action: string) => ({
  name: 'AccessDenied',
  Code: 'AccessDenied',
  message: expect.stringContaining(
    `User: ${ROLE} is not authorized to perform: ${action} on resource: "arn:aws:sqs:us-east-1:000000000000:work"`,
  ),
  $metadata: { httpStatusCode: 403 },
});

test('a role may perform the actions of its policies, batches included, and no others', async () => {
  const { client, QueueUrl } = await useRole(queueStack({ actions: ['sqs:SendMessage'] }));
  await client.sendMessage({ QueueUrl, MessageBody: 'x' });
  const Entries = [{ Id: 'a', MessageBody: 'x' }];
  await client.sendMessageBatch({ QueueUrl, Entries });

  const receive = client.receiveMessage({ QueueUrl });
  expect(await failure(receive)).toMatchObject(denied('sqs:ReceiveMessage'));
  const remove = client.deleteMessage({ QueueUrl, ReceiptHandle: 'x' });
  expect(await failure(remove)).toMatchObject(denied('sqs:DeleteMessage'));
  const find = client.getQueueUrl({ QueueName: 'work' });
  expect(await failure(find)).toMatchObject(denied('sqs:GetQueueUrl'));
});

test('the policy of a queue may allow actions that the policies of the role do not allow', async () => {
  const more = {
    WorkPolicy: queuePolicy('Work', {
      Effect: 'Allow',
      Action: 'sqs:SendMessage',
      Principal: { AWS: ROLE },
      Resource: attribute('Work'),
    }),
  };
  const { client, QueueUrl } = await useRole(queueStack({ more }));
  await client.sendMessage({ QueueUrl, MessageBody: 'x' });
});

test('a Deny in the policy of a queue overrides an Allow, also for the developer', async () => {
  const more = {
    WorkPolicy: queuePolicy('Work', {
      Effect: 'Deny',
      Action: 'sqs:SendMessage',
      Principal: '*',
      Resource: attribute('Work'),
    }),
  };
  const { client, QueueUrl, iam, service } = await useRole(
    queueStack({ actions: ['sqs:*'], more }),
  );
  const developer = useClient(service.endpoint, { credentials: iam.root });
  for (const sender of [client, developer]) {
    const send = sender.sendMessage({ QueueUrl, MessageBody: 'x' });
    expect(await failure(send)).toMatchObject({
      name: 'AccessDenied',
      message: expect.stringContaining('explicit deny in a resource-based policy'),
    });
  }
  await client.receiveMessage({ QueueUrl });
});

describe('endpoint', () => {
  test('refuses a request that is signed with a wrong secret', async () => {
    const { iam, service, QueueUrl } = await useRole(queueStack({ actions: ['sqs:*'] }));
    const credentials = { ...iam.credentialsForRole(ROLE), secretAccessKey: 'guessed' };
    const client = useClient(service.endpoint, { credentials });
    const send = client.sendMessage({ QueueUrl, MessageBody: 'x' });
    expect(await failure(send)).toMatchObject({
      name: 'InvalidSignatureException',
      $metadata: { httpStatusCode: 403 },
    });
  });

  test('refuses a request without a signature', async () => {
    const { service, QueueUrl } = await useRole(queueStack());
    const response = await fetch(service.endpoint, {
      method: 'POST',
      headers: { 'x-amz-target': 'AmazonSQS.SendMessage' },
      body: JSON.stringify({ QueueUrl, MessageBody: 'x' }),
    });
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({
      __type: 'com.amazon.coral.service#MissingAuthenticationTokenException',
    });
  });

  test('refuses every request except POST /', async () => {
    const { service } = await useRole(queueStack());
    const response = await fetch(`${service.endpoint}/000000000000/work`);
    expect(response.status).toBe(404);
  });
});
