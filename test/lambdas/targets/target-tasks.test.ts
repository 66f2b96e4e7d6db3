import { createLambdaClient } from '../../../lambdas/targets/target-clients';
import { LambdaTargetTasks, parseTask } from '../../../lambdas/targets/target-tasks';
import { startScriptedServer } from '../../support/scripted-server';

test('a task is sent as an asynchronous invocation, and parsed as it was sent', async () => {
  const server = await startScriptedServer([{ status: 202 }]);
  Object.assign(process.env, {
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    AWS_ENDPOINT_URL_LAMBDA: server.endpoint,
  });
  const client = createLambdaClient(3_000);
  const task = { target: 'a', buckets: [{ name: 'photos', id: 'abcdefghijkl' }] };
  try {
    await new LambdaTargetTasks(client, 'deliver').send(task);
  } finally {
    client.destroy();
    await server.stop();
  }
  const [request] = server.received;
  expect(request?.headers['x-amz-invocation-type']).toBe('Event');
  expect(request?.path).toBe('/2015-03-31/functions/deliver/invocations');
  expect(parseTask(JSON.parse(request?.body ?? ''))).toEqual(task);
});
