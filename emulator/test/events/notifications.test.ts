import { UserError } from '../../src/errors/user-error';
import { createNotifications } from '../../src/services/events/notifications';
import type { S3Event } from '../../src/services/events/s3-event';
import type { InvokeSource } from '../../src/services/lambda/invoker';
import { useLambda } from '../lambda/service';
import { functionArn, functionStack } from '../lambda/stack';

function useBucket(
  configuration: Record<string, unknown>,
  permission: Record<string, unknown> = {},
) {
  const stack = functionStack(
    { Fn: { Handler: 'buffered.handler' } },
    {
      Photos: {
        Type: 'AWS::S3::Bucket',
        Properties: {
          BucketName: 'photos',
          NotificationConfiguration: {
            LambdaConfigurations: [{ Function: { 'Fn::GetAtt': ['Fn', 'Arn'] }, ...configuration }],
          },
        },
      },
      Permission: {
        Type: 'AWS::Lambda::Permission',
        Properties: {
          Action: 'lambda:InvokeFunction',
          FunctionName: { Ref: 'Fn' },
          Principal: 's3.amazonaws.com',
          SourceAccount: { Ref: 'AWS::AccountId' },
          ...permission,
        },
      },
    },
  );
  const invoked: { arn: string; source?: InvokeSource; record: Record<string, never> }[] = [];
  const lambda = useLambda(stack);
  const emit = createNotifications(stack, {
    ...lambda,
    permits: (arn, source) => lambda.permits(arn, source),
    invokeAsync: async (arn, payload, source) => {
      invoked.push({ arn, source, record: JSON.parse(payload).Records[0] });
    },
  });
  return { emit, invoked };
}

const event: S3Event = {
  bucket: 'photos',
  key: 'uploads/a b+c/ä(1)!.txt',
  size: 3,
  etag: 'abc',
  eventName: 'ObjectCreated:Put',
  time: '2026-01-01T00:00:00.000Z',
  sequencer: '00AB',
};

test('invokes the function with the event in the form of S3', async () => {
  const { emit, invoked } = useBucket({ Event: 's3:ObjectCreated:*' });
  await emit(event);
  expect(invoked).toHaveLength(1);
  expect(invoked[0]).toMatchObject({
    arn: functionArn('Fn'),
    source: { service: 's3.amazonaws.com', arn: 'arn:aws:s3:::photos' },
    record: {
      eventVersion: '2.1',
      eventSource: 'aws:s3',
      awsRegion: 'us-east-1',
      eventTime: event.time,
      eventName: 'ObjectCreated:Put',
      s3: {
        bucket: { name: 'photos', arn: 'arn:aws:s3:::photos' },
        object: {
          key: 'uploads/a+b%2Bc/%C3%A4%281%29%21.txt',
          size: 3,
          eTag: 'abc',
          sequencer: '00AB',
        },
      },
    },
  });
});

test.each<[Record<string, unknown>, Partial<S3Event>, number]>([
  [{ Event: 's3:ObjectCreated:*' }, { eventName: 'ObjectCreated:CompleteMultipartUpload' }, 1],
  [{ Event: 's3:ObjectCreated:Put' }, { eventName: 'ObjectCreated:CompleteMultipartUpload' }, 0],
  [{ Event: 's3:ObjectCreated:*' }, { eventName: 'ObjectRemoved:Delete' }, 0],
  [{ Event: 's3:ObjectRemoved:*' }, { eventName: 'ObjectRemoved:Delete' }, 1],
  [{ Event: 's3:ObjectCreated:*' }, { bucket: 'others' }, 0],
  [{ Event: 's3:ObjectCreated:*', Filter: rules({ prefix: 'uploads/' }) }, {}, 1],
  [{ Event: 's3:ObjectCreated:*', Filter: rules({ prefix: 'objects/' }) }, {}, 0],
  [{ Event: 's3:ObjectCreated:*', Filter: rules({ Prefix: 'uploads/', Suffix: '.txt' }) }, {}, 1],
  [{ Event: 's3:ObjectCreated:*', Filter: rules({ prefix: 'uploads/', suffix: '.png' }) }, {}, 0],
])('%j with %j invokes %i times', async (configuration, change, expected) => {
  const { emit, invoked } = useBucket(configuration);
  await emit({ ...event, ...change });
  expect(invoked).toHaveLength(expected);
});

function rules(filter: Record<string, string>) {
  const entries = Object.entries(filter).map(([Name, Value]) => ({ Name, Value }));
  return { S3Key: { Rules: entries } };
}

test.each<[string, Record<string, unknown>, Record<string, unknown>]>([
  ['another bucket only', { Event: 's3:ObjectCreated:*' }, { SourceArn: 'arn:aws:s3:::other' }],
  ['another account only', { Event: 's3:ObjectCreated:*' }, { SourceAccount: '111111111111' }],
  ['another service only', { Event: 's3:ObjectCreated:*' }, { Principal: 'sns.amazonaws.com' }],
])('refuses at start a function whose permission is for %s', (_, configuration, permission) => {
  expect(() => useBucket(configuration, permission)).toThrow(UserError);
  expect(() => useBucket(configuration, permission)).toThrow('Photos.NotificationConfiguration');
});

test('refuses an event that is not emulated', () => {
  expect(() => useBucket({ Event: 's3:ObjectRestore:*' })).toThrow('s3:ObjectRestore:*');
});
