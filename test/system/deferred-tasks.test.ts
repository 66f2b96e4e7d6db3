/** The chain of fanout's deferred tasks, with the trace headers of Lambda and SQS. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { GetQueueAttributesCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { MAX_INVOCATIONS, nextHeader } from '../../emulator/src/services/lambda/lineage';
import { loadStack } from '../../emulator/src/template/assembly';
import { resolveStack } from '../../emulator/src/template/resolve-stack';
import { newName, sharedService } from '../support/local-service/shared-service';
import { until } from '../support/until';
import { openStores } from './support/local-service';

jest.setTimeout(5 * 60_000);

test('deferred tasks continue after sixteen invocations in one chain', async () => {
  const { data } = await sharedService('emulated');
  const stores = openStores(data);
  const { endpoints, region, credentials } = JSON.parse(
    readFileSync(path.join(data, 'endpoints.json'), 'utf8'),
  );
  const cdkOut = path.join(__dirname, '..', '..', 'cdk.out');
  const stack = resolveStack(loadStack(cdkOut, 'stowage-dev'));
  const find = (type: string, pattern: RegExp) =>
    [...stack.resources.values()].find(
      (resource) => resource.type === type && pattern.test(resource.logicalId),
    );
  // SQS reads the path of a queue's URL only.
  const urlOf = (pattern: RegExp) => find('AWS::SQS::Queue', pattern)?.physicalId;

  const sqs = new SQSClient({ region, credentials, endpoint: endpoints.sqs });
  let header: string | undefined;
  const fanout = find('AWS::Lambda::Function', /Fanout/)?.arn ?? '';
  for (let n = 1; n < MAX_INVOCATIONS; n++) header = nextHeader(header, fanout);

  // A writer that died: its cursor stays unpublished until a deferred task fills the gap.
  const bucket = { name: newName('chained'), id: stores.ids.bucketId() };
  await stores.buckets.create({ ...bucket, cursor: 0, createdAt: new Date().toISOString() });
  await stores.commits.allocate(bucket);
  const MessageBody = JSON.stringify({ advance: { bucket: bucket.name, id: bucket.id, upTo: 0 } });
  sqs.middlewareStack.add(
    (next) => (call) => {
      const { headers } = call.request as { headers: Record<string, string> };
      headers['X-Amzn-Trace-Id'] = header ?? '';
      return next(call);
    },
    { step: 'build' },
  );
  await sqs.send(new SendMessageCommand({ QueueUrl: urlOf(/FollowUps/), MessageBody }));

  const isPublished = async () => (await stores.buckets.stats(bucket.name))?.published === 1;
  await until('the gap is published', isPublished, { timeoutMs: 180_000 });
  const count = 'ApproximateNumberOfMessages' as const;
  const QueueUrl = urlOf(/Undelivered/);
  const { Attributes } = await sqs.send(
    new GetQueueAttributesCommand({ QueueUrl, AttributeNames: [count] }),
  );
  expect(Attributes?.[count]).toBe('0');
  sqs.destroy();
  stores.close();
});
