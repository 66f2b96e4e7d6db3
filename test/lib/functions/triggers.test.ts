import { Match } from 'aws-cdk-lib/assertions';
import * as events from 'aws-cdk-lib/aws-events';
import { ChangeTarget } from '../../../lib';
import { logicalId, useStorage } from '../synthesize';

const { stack, storage, template } = useStorage();

const onFailure = {
  OnFailure: { Destination: stack.resolve(storage.queues.undelivered.queueArn) },
};

test('the stream of Changes wakes fanout for new entries only, and drops a batch that keeps failing', () => {
  template.hasResourceProperties('AWS::Lambda::EventSourceMapping', {
    EventSourceArn: { 'Fn::GetAtt': [logicalId(stack, storage.tables.changes), 'StreamArn'] },
    FunctionName: { Ref: logicalId(stack, storage.functions.fanout.function) },
    StartingPosition: 'TRIM_HORIZON',
    BatchSize: 100,
    BisectBatchOnFunctionError: true,
    FunctionResponseTypes: ['ReportBatchItemFailures'],
    MaximumRetryAttempts: 5,
    MaximumRecordAgeInSeconds: 3600,
    FilterCriteria: { Filters: [{ Pattern: '{"eventName":["INSERT"]}' }] },
    DestinationConfig: onFailure,
  });
});

test('every change of an API key wakes revocation, and a batch that keeps failing goes to Undelivered', () => {
  template.hasResourceProperties('AWS::Lambda::EventSourceMapping', {
    EventSourceArn: { 'Fn::GetAtt': [logicalId(stack, storage.tables.apiKeys), 'StreamArn'] },
    FunctionName: { Ref: logicalId(stack, storage.functions.revocation.function) },
    StartingPosition: 'TRIM_HORIZON',
    BatchSize: 100,
    BisectBatchOnFunctionError: true,
    FunctionResponseTypes: ['ReportBatchItemFailures'],
    MaximumRetryAttempts: 10,
    FilterCriteria: Match.absent(),
    DestinationConfig: onFailure,
  });
});

test('deferred tasks wake fanout, which reports failures one by one', () => {
  template.hasResourceProperties('AWS::Lambda::EventSourceMapping', {
    EventSourceArn: stack.resolve(storage.queues.deferredTasks.queueArn),
    FunctionName: { Ref: logicalId(stack, storage.functions.fanout.function) },
    BatchSize: 10,
    FunctionResponseTypes: ['ReportBatchItemFailures'],
    Enabled: Match.absent(),
  });
  template.resourceCountIs('AWS::Lambda::EventSourceMapping', 3);
});

// Lambda refuses a second mapping between the same source and function, so a mapping that got
// another logical id could not be deployed.
test('event source mappings keep their logical ids', () => {
  expect(Object.keys(template.findResources('AWS::Lambda::EventSourceMapping')).sort()).toEqual([
    'StorageApiKeysToRevocation70D905B0',
    'StorageChangesToFanoutA335C3FA',
    'StorageFollowUpsToFanout88BC05CF',
  ]);
});

test('schedules run the janitor for each of its tasks', () => {
  const rules = Object.values(template.findResources('AWS::Events::Rule')).map(({ Properties }) => [
    Properties.ScheduleExpression,
    JSON.parse(Properties.Targets[0].Input),
  ]);
  expect(rules).toEqual([
    ['rate(1 minute)', { task: 'logs' }],
    ['rate(1 minute)', { task: 'copies' }],
    ['rate(1 hour)', { task: 'uploads' }],
    ['rate(15 minutes)', { task: 'expiry' }],
    ['rate(1 hour)', { task: 'reconcile' }],
  ]);
});

describe('a service with targets', () => {
  const { template: withTargets } = useStorage({}, (made, parent) => {
    made.onChange('Bus', ChangeTarget.eventBus(new events.EventBus(parent, 'EventBus')));
  });
  const minutes = (rate: string) => Number(/\d+/.exec(rate)) * (rate.includes('hour') ? 60 : 1);
  const rules = Object.entries(withTargets.findResources('AWS::Events::Rule'));

  test.each(rules)('the event of %s waits no longer than until the next one', (_, rule) => {
    const { ScheduleExpression, Targets } = rule.Properties;
    const [{ RetryPolicy }] = Targets;
    expect(RetryPolicy.MaximumEventAgeInSeconds).toBe(minutes(ScheduleExpression) * 60);
  });

  // By default Lambda keeps throttled events for six hours, and repeats failed ones twice.
  test.each(rules)('Lambda drops the event of %s after a minute or a failure', (_, rule) => {
    const [{ Arn }] = rule.Properties.Targets;
    withTargets.hasResourceProperties('AWS::Lambda::EventInvokeConfig', {
      FunctionName: { Ref: Arn['Fn::GetAtt'][0] },
      MaximumRetryAttempts: 0,
      MaximumEventAgeInSeconds: 60,
    });
  });
});
