import { App, Duration, Stack } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import * as sns from 'aws-cdk-lib/aws-sns';
import { parseEnvironments } from '../../../bin/environments';
import { ObjectStorage, StorageStack } from '../../../lib';
import { logicalId, useApp, useBundles, useStorage } from '../synthesize';
import { grant, RUNBOOK, sections } from './runbook';

describe('alarms', () => {
  const { stack, storage, template } = useStorage(
    { alarms: true, consumerLag: Duration.minutes(10) },
    grant,
  );
  const alarms = Object.entries(template.findResources('AWS::CloudWatch::Alarm'));

  test('and sections of the runbook correspond', () => {
    const named = alarms.map(([, { Properties }]) => Properties.AlarmDescription);
    for (const description of named) expect(description).toMatch(/^docs\/runbook\.md#[a-z-]+$/);
    const described = new Set(named.map((description) => description.split('#')[1]));
    expect([...described].sort()).toEqual([...sections()].sort());
  });

  test('are described with the same parts: what it means, what to check, how to fix it', () => {
    for (const section of RUNBOOK.split(/^## /m).slice(1)) {
      for (const word of ['What it means', 'Check', 'Fix'])
        expect(section).toContain(`**${word}.**`);
    }
  });

  test('are not raised by missing data, except janitor-missing', () => {
    const breaching = alarms.filter(
      ([, { Properties }]) => Properties.TreatMissingData !== 'notBreaching',
    );
    expect(breaching.map(([, { Properties }]) => Properties)).toEqual([
      expect.objectContaining({
        AlarmDescription: 'docs/runbook.md#janitor-missing',
        MetricName: 'Invocations',
        ComparisonOperator: 'LessThanThreshold',
        TreatMissingData: 'breaching',
      }),
    ]);
  });

  test('are raised by a janitor that one of its rules of a minute no longer invokes', () => {
    const schedule = { ScheduleExpression: 'rate(1 minute)' };
    const rules = template.findResources('AWS::Events::Rule', { Properties: schedule });
    const count = Object.keys(rules).length;
    const [threshold] = alarms.flatMap(([, { Properties }]) =>
      Properties.AlarmDescription.endsWith('#janitor-missing') ? [Properties.Threshold] : [],
    );
    // In five minutes. The first or the last invocation may fall into another period, and one of
    // another rule into this one.
    expect(threshold).toBeGreaterThan(5 * (count - 1) + 2);
    expect(threshold).toBeLessThanOrEqual((5 - 1) * count);
  });

  test('evaluate at most a day, or a week of longer periods, and one metric each', () => {
    for (const [id, { Properties }] of alarms) {
      const { Period, EvaluationPeriods, Metrics } = Properties;
      const most = Period >= 3600 ? 7 * 86_400 : 86_400;
      // An alarm on an expression costs as much as one on each of its metrics, says less, and
      // emulators refuse it.
      expect([id, Period * EvaluationPeriods <= most, Metrics]).toEqual([id, true, undefined]);
    }
  });

  test('are raised by the first message in Undelivered', () => {
    template.hasResourceProperties('AWS::CloudWatch::Alarm', {
      AlarmDescription: 'docs/runbook.md#undelivered',
      Namespace: 'AWS/SQS',
      MetricName: 'ApproximateNumberOfMessagesVisible',
      Statistic: 'Maximum',
      Threshold: 1,
      EvaluationPeriods: 1,
      Dimensions: [
        { Name: 'QueueName', Value: stack.resolve(storage.queues.undelivered.queueName) },
      ],
    });
  });

  test('are raised by streams that are read late although nothing fails', () => {
    for (const { function: lagging } of [storage.functions.fanout, storage.functions.revocation]) {
      template.hasResourceProperties('AWS::CloudWatch::Alarm', {
        MetricName: 'IteratorAge',
        Threshold: 60_000,
        EvaluationPeriods: 3,
        Dimensions: [{ Name: 'FunctionName', Value: stack.resolve(lagging.functionName) }],
      });
    }
  });

  test('are raised by failures that no function reported', () => {
    template.hasResourceProperties('AWS::CloudWatch::Alarm', {
      Namespace: 'AWS/ApiGateway',
      MetricName: '5XXError',
      Statistic: 'Average',
      Threshold: 0.01,
      Dimensions: [{ Name: 'ApiName', Value: 'test-Storage' }, Match.anyValue()],
    });
  });

  test('are raised by a missing blob, whichever function finds it', () => {
    const filters = template.findResources('AWS::Logs::MetricFilter', {
      Properties: {
        FilterPattern: '{ ($.event = "blob_missing") || ($.event = "records_missing") }',
        MetricTransformations: [{ MetricName: 'BlobMissing' }],
      },
    });
    expect(Object.keys(filters)).toHaveLength(4);
  });

  test('are raised by a REST API that refuses nine requests in ten', () => {
    template.hasResourceProperties('AWS::CloudWatch::Alarm', {
      Namespace: 'AWS/ApiGateway',
      MetricName: '4XXError',
      Statistic: 'Average',
      Threshold: 0.9,
      EvaluationPeriods: 3,
    });
  });

  const withoutEdge = useStorage({ alarms: true, edge: false }).template;

  test('are raised by requests without the secret of the edge', () => {
    template.hasResourceProperties('AWS::Logs::MetricFilter', {
      LogGroupName: { Ref: logicalId(stack, storage.api.accessLogs) },
      FilterPattern: '{ $.error_type = "ACCESS_DENIED" }',
      MetricTransformations: [Match.objectLike({ MetricName: 'AccessDenied' })],
    });
    template.hasResourceProperties('AWS::CloudWatch::Alarm', {
      MetricName: 'AccessDenied',
      Threshold: 10,
      EvaluationPeriods: 3,
    });
    withoutEdge.resourceCountIs('AWS::Logs::MetricFilter', 3);
  });

  const shown = useStorage({ cloudWatchDashboard: true }).template;
  const unseen = useStorage().template;
  const off = useStorage({ cloudWatchDashboard: true, alarms: false }).template;

  test('exist on the dashboard, unless they are off, and not where nobody would see them', () => {
    const count = (one: Template) =>
      Object.keys(one.findResources('AWS::CloudWatch::Alarm')).length;
    expect([count(shown), count(off), count(unseen)]).toEqual([32, 0, 0]);
  });

  test('leave the metrics of log lines to alarms of the deployer when they are off', () => {
    off.resourceCountIs('AWS::Logs::MetricFilter', 4);
  });

  const bundles = useBundles();
  const inRegion = (region?: string) => {
    const parent = new Stack(useApp(), 'test', { env: { region } });
    new ObjectStorage(parent, 'Storage', { bundles, alarms: true });
    const ofEdge = ['AWS/CloudFront', 'AWS/WAFV2'];
    const all = Object.values(Template.fromStack(parent).findResources('AWS::CloudWatch::Alarm'));
    return all
      .filter(({ Properties }) => ofEdge.includes(Properties.Namespace))
      .map(({ Condition, Properties }) => [Properties.MetricName, Condition?.slice(0, -8)]);
  };

  const [there, anywhere, elsewhere] = ['us-east-1', undefined, 'eu-central-1'].map(inRegion);

  // Their metrics exist in that region only.
  test('on the edge exist in us-east-1', () => {
    const named = ['5xxErrorRate', '4xxErrorRate', 'BlockedRequests'];
    expect(there).toEqual(named.map((name) => [name, undefined]));
    const condition = 'StorageEdgeIsInCloudFrontRegion';
    expect(anywhere).toEqual(named.map((name) => [name, condition]));
    expect(elsewhere).toEqual([]);
  });

  const notified = new Stack(useApp(), 'test');
  const alarmTopic = new sns.Topic(notified, 'Topic');
  new ObjectStorage(notified, 'Storage', { bundles, alarmTopic });

  test('notify the topic of the deployer', () => {
    Template.fromStack(notified).allResourcesProperties('AWS::CloudWatch::Alarm', {
      AlarmActions: [notified.resolve(alarmTopic.topicArn)],
    });
  });
});

describe('settings of an environment', () => {
  const bundles = useBundles();
  const alarmTopicArn = 'arn:aws:sns:eu-west-1:123456789012:alarms';
  const stackOf = (settings: object) => {
    const [environment] = parseEnvironments({ own: settings });
    const { storage, ...props } = environment?.props ?? {};
    return new StorageStack(new App({ builtinCloudFormationValidation: false }), 'own', {
      ...props,
      storage: { ...storage, bundles },
    });
  };

  test('say where alarms go, what is reported, and what is shown', () => {
    const runbookUrl = 'https://wiki.example.com/stowage';
    const metrics = 'essential';
    const template = Template.fromStack(
      stackOf({ alarmTopicArn, metrics, cloudWatchDashboard: true, runbookUrl }),
    );
    template.allResourcesProperties('AWS::CloudWatch::Alarm', {
      AlarmActions: [alarmTopicArn],
      AlarmDescription: Match.stringLikeRegexp('^https://wiki.example.com/stowage#[a-z-]+$'),
    });
    template.hasResourceProperties('AWS::Lambda::Function', {
      Environment: { Variables: { METRICS: 'essential' } },
    });
    template.resourceCountIs('AWS::CloudWatch::Dashboard', 1);
  });
});
