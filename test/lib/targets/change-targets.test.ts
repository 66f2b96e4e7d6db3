import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Duration, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import * as events from 'aws-cdk-lib/aws-events';
import * as kms from 'aws-cdk-lib/aws-kms';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import * as sns from 'aws-cdk-lib/aws-sns';
import * as sqs from 'aws-cdk-lib/aws-sqs';
import { ChangeTarget, type ChangeTargetOptions, ObjectStorage } from '../../../lib';
import { logicalId, useApp, useBundles, useStorage, violations } from '../synthesize';

const handler = (stack: Stack, id: string, timeout?: Duration) =>
  new lambda.Function(stack, id, {
    code: lambda.Code.fromInline('exports.handler = async () => {}'),
    handler: 'index.handler',
    runtime: lambda.Runtime.NODEJS_24_X,
    timeout,
  });

describe('a service without targets', () => {
  const { template, storage } = useStorage();

  test('has no resource for targets', () => {
    expect(storage.changeTargets).toBeUndefined();
    template.resourcePropertiesCountIs('AWS::Lambda::EventSourceMapping', {}, 3);
    expect(JSON.stringify(template.toJSON())).not.toContain('StorageTargets');
  });
});

describe('a service with a function, two queues and a bus as targets', () => {
  let targetIds: readonly string[] = [];
  const { stack, storage, template } = useStorage({}, (made) => {
    const scope = Stack.of(made);
    const fn = handler(scope, 'Listener', Duration.minutes(3));
    const encryptionKey = new kms.Key(scope, 'Key');
    const secret = new sqs.Queue(scope, 'Secret', { encryptionMasterKey: encryptionKey });
    const fifo = new sqs.Queue(scope, 'InOrder', { fifo: true });
    const bus = new events.EventBus(scope, 'Bus');
    made.onChange('Index', ChangeTarget.lambda(fn), { startFrom: 'oldest' });
    made.onChange('Secret', ChangeTarget.queue(secret), { buckets: ['team-*', 'photos'] });
    made.onChange('InOrder', ChangeTarget.queue(fifo));
    made.onChange('Bus', ChangeTarget.eventBus(bus));
    targetIds = [fn, encryptionKey, secret, fifo, bus].map((one) => logicalId(scope, one));
  });
  const { changeTargets } = storage;
  if (!changeTargets) throw new Error('no changeTargets');
  const resources = template.toJSON().Resources;
  const notifier = logicalId(stack, changeTargets.notifier.function);
  const cursors = logicalId(stack, changeTargets.cursors);

  test('has one function, whose variable lists the targets', () => {
    const { CHANGE_TARGETS: list } = resources[notifier].Properties.Environment.Variables;
    const [fn, , secret, fifo, bus] = targetIds;
    const text = list['Fn::Join'][1]
      .map((part: unknown) => (typeof part === 'string' ? part : Object.values(part as object)[0]))
      .join('');
    expect(JSON.parse(text.replaceAll(`${fn},Arn`, 'fn'))).toEqual([
      {
        id: 'Index',
        kind: 'function',
        address: 'fn',
        timeout: 180,
        buckets: ['*'],
        startFrom: 'oldest',
      },
      {
        id: 'Secret',
        kind: 'queue',
        address: secret,
        buckets: ['team-*', 'photos'],
        startFrom: 'now',
      },
      { id: 'InOrder', kind: 'queue', address: fifo, buckets: ['*'], startFrom: 'now' },
      { id: 'Bus', kind: 'bus', address: `${bus},Arn`, buckets: ['*'], startFrom: 'now' },
    ]);
  });

  test('allows that function to notify each target, read the log and save cursors, and nothing else', () => {
    const role = JSON.stringify([{ Ref: logicalId(stack, changeTargets.notifier.role) }]);
    const names = new Map([
      [logicalId(stack, storage.tables.buckets), 'buckets'],
      [logicalId(stack, storage.tables.changes), 'changes'],
      [logicalId(stack, storage.queues.undelivered), 'undelivered'],
      [logicalId(stack, changeTargets.notifier.logGroup), 'log'],
      [cursors, 'cursors'],
      [notifier, 'itself'],
      ...targetIds.map((id, index) => [id, ['fn', 'key', 'secret', 'fifo', 'bus'][index] ?? '']),
    ] as [string, string][]);
    const grants = Object.values(template.findResources('AWS::IAM::Policy'))
      .filter(({ Properties }) => JSON.stringify(Properties.Roles) === role)
      .flatMap(({ Properties }) => Properties.PolicyDocument.Statement)
      .flatMap(({ Action, Resource, Condition }) => {
        const [condition] = Object.values(Condition ?? {});
        const keys = condition ? ` ${JSON.stringify(condition)}` : '';
        return [Resource].flat().flatMap((resource) => {
          const [, id = '', attribute] =
            /"Fn::GetAtt":\["(\w+)","(\w+)"/.exec(JSON.stringify(resource)) ?? [];
          const where = `${names.get(id)}${attribute === 'StreamArn' ? ' stream' : ''}`;
          return [Action].flat().map((action: string) => `${action} ${where}${keys}`);
        });
      });
    const viaSqs = ` ${JSON.stringify({
      'kms:ViaService': {
        'Fn::Join': ['', ['sqs.', { Ref: 'AWS::Region' }, '.', { Ref: 'AWS::URLSuffix' }]],
      },
    })}`;
    const but = ' {"dynamodb:LeadingKeys":["#*"]}';
    expect(grants.sort()).toEqual(
      [
        'logs:CreateLogStream log',
        'logs:PutLogEvents log',
        'dynamodb:DescribeStream changes stream',
        'dynamodb:GetRecords changes stream',
        'dynamodb:GetShardIterator changes stream',
        'dynamodb:ListStreams changes stream',
        'dynamodb:GetItem changes',
        'dynamodb:PutItem changes',
        'dynamodb:Query changes',
        `dynamodb:BatchGetItem buckets${but}`,
        `dynamodb:GetItem buckets${but}`,
        'dynamodb:Query buckets {"dynamodb:LeadingKeys":["#directory","#deleted"]}',
        'dynamodb:DeleteItem cursors',
        'dynamodb:GetItem cursors',
        'dynamodb:Query cursors',
        'dynamodb:UpdateItem cursors',
        'sqs:SendMessage undelivered',
        'lambda:InvokeFunction itself',
        'lambda:InvokeFunction fn',
        'sqs:SendMessage secret',
        `kms:Decrypt key${viaSqs}`,
        `kms:GenerateDataKey key${viaSqs}`,
        'sqs:SendMessage fifo',
        'events:PutEvents bus',
      ].sort(),
    );
  });

  test('invokes that function for changes and every minute, and repeats no lost task', () => {
    template.hasResourceProperties('AWS::Lambda::EventSourceMapping', {
      FunctionName: { Ref: notifier },
      StartingPosition: 'TRIM_HORIZON',
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      DestinationConfig: {
        OnFailure: {
          Destination: { 'Fn::GetAtt': [logicalId(stack, storage.queues.undelivered), 'Arn'] },
        },
      },
    });
    template.hasResourceProperties('AWS::Events::Rule', {
      ScheduleExpression: 'rate(1 minute)',
      Targets: [{ Arn: { 'Fn::GetAtt': [notifier, 'Arn'] }, Input: '{"task":"sweep"}' }],
    });
    template.hasResourceProperties('AWS::Lambda::EventInvokeConfig', {
      FunctionName: { Ref: notifier },
      MaximumRetryAttempts: 0,
    });
  });

  test('protects and retains the table of cursors as the other tables', () => {
    expect(resources[cursors]).toMatchObject({
      DeletionPolicy: 'Retain',
      Properties: {
        KeySchema: [
          { AttributeName: 'target', KeyType: 'HASH' },
          { AttributeName: 'bucket_id', KeyType: 'RANGE' },
        ],
        Replicas: [
          {
            DeletionProtectionEnabled: true,
            PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
          },
        ],
      },
    });
  });
});

describe('the alarms on targets', () => {
  const plain = useStorage({ alarms: true });
  const { template } = useStorage({ alarms: true }, (made) => {
    made.onChange('Listener', ChangeTarget.lambda(handler(Stack.of(made), 'Listener')));
  });
  const sectionsOf = (one: Template) =>
    Object.values(one.findResources('AWS::CloudWatch::Alarm')).map(
      ({ Properties }) => Properties.AlarmDescription as string,
    );
  const own = ['targets-errors', 'targets-lag', 'targets-lost'];

  test('exist when there is a target', () => {
    expect(sectionsOf(template).sort()).toEqual(
      [...sectionsOf(plain.template), ...own.map((one) => `docs/runbook.md#${one}`)].sort(),
    );
  });

  test('each have a section of the runbook', () => {
    const runbook = readFileSync(path.join(__dirname, '../../../docs/runbook.md'), 'utf8');
    for (const section of own) expect(runbook).toContain(`\n## ${section}\n`);
  });
});

describe('a service with targets and a topic for alarms', () => {
  const app = useApp();
  const stack = new Stack(app, 'test');
  const alarmTopic = new sns.Topic(stack, 'Topic');
  const storage = new ObjectStorage(stack, 'Storage', { bundles: useBundles(), alarmTopic });
  storage.onChange('Listener', ChangeTarget.queue(new sqs.Queue(stack, 'Listener')));
  const template = Template.fromStack(stack);

  test('has no finding that is not acknowledged', () => {
    const own = violations(app).flatMap(([rule, paths]) =>
      paths.filter((one) => one?.startsWith(storage.node.path)).map((one) => [rule, one]),
    );
    expect(own).toEqual([]);
  });

  test('notifies the topic of every alarm', () => {
    for (const { Properties } of Object.values(template.findResources('AWS::CloudWatch::Alarm'))) {
      expect(Properties.AlarmActions).toEqual([{ Ref: logicalId(stack, alarmTopic) }]);
    }
  });
});

describe('onChange refuses', () => {
  const { stack, storage } = useStorage();
  const queue = ChangeTarget.queue(new sqs.Queue(stack, 'Listener'));
  const add = (id: string, options?: ChangeTargetOptions) => storage.onChange(id, queue, options);

  test.each(['', 'a b', '1st', 'ä', 'x'.repeat(64)])('the id %j', (id) => {
    expect(() => add(id)).toThrow(/the id must be 1 to 63 letters/);
  });

  test.each([[[]], [['Photos']], [['a*b']], [['']]])('the buckets %j', (buckets) => {
    expect(() => add('Listener', { buckets })).toThrow(/leave it out for all/);
  });

  test('an unknown startFrom', () => {
    const startFrom = 'newest' as 'now';
    expect(() => add('Listener', { startFrom })).toThrow("startFrom must be 'now' or 'oldest'");
  });

  test('a function whose timeout is too long', () => {
    const fn = handler(stack, 'Slow', Duration.minutes(4));
    expect(() => ChangeTarget.lambda(fn)).toThrow(/timeout of 240 s.*may have at most 180 s/);
  });

  test('a repeated id, and an eleventh target', () => {
    for (let n = 1; n <= 10; n++) add(`Target${n}`);
    expect(() => add('Target1')).toThrow(/a target with this id already/);
    expect(() => add('Target11')).toThrow(/there are 10 targets already/);
  });
});

describe('onChange refuses targets that do not fit the variables of the function', () => {
  const tooLarge = /at most 3400 bytes as JSON, got \d+: name fewer buckets/;

  describe('because of the buckets', () => {
    const { stack, storage } = useStorage();
    const queue = ChangeTarget.queue(new sqs.Queue(stack, 'Listener'));
    const buckets = Array.from({ length: 10 }, (_, n) => `${n}-${'b'.repeat(55)}`);

    test('at the target whose buckets exceed the limit', () => {
      for (let n = 1; n <= 3; n++) storage.onChange(`Target${n}`, queue, { buckets });
      expect(() => storage.onChange('Last', queue, { buckets })).toThrow(tooLarge);
    });
  });

  describe('because of addresses that are known', () => {
    const { stack, storage } = useStorage();
    const arn = `arn:aws:events:eu-west-1:123456789012:event-bus/${'x'.repeat(256)}`;
    const bus = ChangeTarget.eventBus(events.EventBus.fromEventBusArn(stack, 'Bus', arn));

    test('at the target whose address exceeds the limit', () => {
      for (let n = 1; n <= 8; n++) storage.onChange(`Target${n}`, bus);
      expect(() => storage.onChange('Last', bus)).toThrow(tooLarge);
    });
  });
});
