import { readFileSync } from 'node:fs';
import path from 'node:path';
import { App, Stack } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import * as iam from 'aws-cdk-lib/aws-iam';
import * as sns from 'aws-cdk-lib/aws-sns';
import * as sqs from 'aws-cdk-lib/aws-sqs';
import { parseEnvironments } from '../../../bin/environments';
import { ChangeTarget, ObjectStorage, StorageStack } from '../../../lib';
import { FUNCTION_NAMES } from '../../../lib/functions/service-function';
import { reportEverything } from '../../support/everything-reported';
import { useApp, useBundles, useStorage } from '../synthesize';

const RUNBOOK = readFileSync(path.join(__dirname, '../../../docs/runbook.md'), 'utf8');

/** `Latency{Route=getObject}`: what CloudWatch keeps apart. */
function seriesOf(name: string, dimensions: Readonly<Record<string, string>> = {}): string {
  const told = Object.entries(dimensions).map(([key, value]) => `${key}=${value}`);
  return `${name}{${told}}`;
}

/** What the functions' own code reports, under the namespace that the stack gives them. */
async function reported(template: Template, level: 'all' | 'essential'): Promise<Set<string>> {
  const variables = Object.values(template.findResources('AWS::Lambda::Function')).map(
    ({ Properties }) => Properties.Environment?.Variables ?? {},
  );
  const given = variables.filter(({ METRICS_NAMESPACE }) => METRICS_NAMESPACE !== undefined);
  expect(new Set(given.map(({ METRICS }) => METRICS))).toEqual(new Set([level]));
  const [namespace] = new Set(given.map(({ METRICS_NAMESPACE }) => METRICS_NAMESPACE));
  const lines = await reportEverything(namespace, level);
  return new Set(
    lines.flatMap((line) => {
      const root = JSON.parse(line);
      return root._aws.CloudWatchMetrics.flatMap(
        ({ Namespace, Dimensions, Metrics }: Record<string, { Name: string }[] & string[][]>) =>
          Metrics?.map(({ Name }) => {
            const names = Dimensions?.flat() ?? [];
            const values = Object.fromEntries(names.map((name) => [name, root[name]]));
            return `${Namespace} ${seriesOf(Name, values)}`;
          }),
      );
    }),
  );
}

/** The dashboard's body, with a word in place of what is known at deployment. */
function bodyOf(template: Template): { widgets: { type: string; properties: Properties }[] } {
  const [page] = Object.values(template.findResources('AWS::CloudWatch::Dashboard'));
  const parts: unknown[] = page?.Properties.DashboardBody['Fn::Join'][1];
  return JSON.parse(parts.map((part) => (typeof part === 'string' ? part : 'token')).join(''));
}

interface Properties {
  readonly metrics?: readonly (string | object)[][];
  readonly title?: string;
  readonly markdown?: string;
  readonly alarms?: readonly string[];
}

/**
 * Of a dashboard: `[namespace, name, dimension, value, …, options]`; of alarms as CloudFormation
 * has them. Ours only.
 */
function shown(template: Template): Set<string> {
  const widgets = bodyOf(template).widgets.flatMap(({ properties }) => properties.metrics ?? []);
  return new Set(
    widgets
      .map((metric) => metric.filter((part) => typeof part === 'string'))
      .filter(([namespace]) => namespace?.startsWith('Stowage/'))
      .map(([namespace, name = '', ...dimensions]) => {
        const pairs = dimensions.flatMap((key, n) =>
          n % 2 === 0 ? [[key, dimensions[n + 1]]] : [],
        );
        return `${namespace} ${seriesOf(name, Object.fromEntries(pairs))}`;
      }),
  );
}

function alarmed(template: Template): Set<string> {
  return new Set(
    Object.values(template.findResources('AWS::CloudWatch::Alarm'))
      .map(({ Properties }) => Properties)
      .filter(({ Namespace }) => Namespace?.startsWith('Stowage/'))
      .map(({ Namespace, MetricName, Dimensions = [] }) => {
        const values = Dimensions.map(({ Name, Value }: Record<string, string>) => [Name, Value]);
        return `${Namespace} ${seriesOf(MetricName, Object.fromEntries(values))}`;
      }),
  );
}

describe.each(['all', 'essential'] as const)('metrics: %s', (metrics) => {
  const { template } = useStorage({ metrics, cloudWatchDashboard: true });

  test('the dashboard shows what the functions report: all of it, and nothing else', async () => {
    expect([...shown(template)].sort()).toEqual([...(await reported(template, metrics))].sort());
  });

  test('every alarm on a metric of ours is on one that is reported', async () => {
    const known = await reported(template, metrics);
    // Not a metric of a function's line, but of a metric filter.
    known.add(`Stowage/test/Storage ${seriesOf('BlobMissing')}`);
    expect([...alarmed(template)].filter((series) => !known.has(series))).toEqual([]);
  });
});

describe('metrics: false', () => {
  const { template, storage } = useStorage({ metrics: false, cloudWatchDashboard: true });

  test('functions report nothing, nothing of ours is shown, and only the lost blobs of ours are watched', () => {
    expect(JSON.stringify(template.findResources('AWS::Lambda::Function'))).not.toContain(
      'METRICS',
    );
    expect(shown(template)).toEqual(new Set());
    expect([...alarmed(template)]).toEqual(['Stowage/test/Storage BlobMissing{}']);
  });

  test('what is not reported cannot be asked for; what AWS counts can', () => {
    expect(() => storage.metricFeedLag()).toThrow(
      "the functions of test/Storage do not report FeedLag: set metrics to 'all' or 'essential'",
    );
    expect(() => storage.metricLatency({ route: 'putObject' })).toThrow("set metrics to 'all'");
    expect(storage.metricErrors().namespace).toBe('AWS/ApiGateway');
  });
});

describe('a metric', () => {
  const { stack, storage } = useStorage({ rateTiers: { small: {} } });
  const resolved = (metric: ReturnType<ObjectStorage['metricRequests']>) => {
    const { namespace, metricName, dimensions, statistic } = metric;
    return stack.resolve({ namespace, metricName, dimensions, statistic });
  };

  test('of the whole API is the gateway’s own, which no function has to be there for', () => {
    const dimensions = ['ApiName', 'Stage'];
    for (const [metric, name, statistic] of [
      [storage.metricRequests(), 'Count', 'SampleCount'],
      [storage.metricErrors(), '5XXError', 'Sum'],
      [storage.metricRefusals(), '4XXError', 'Sum'],
      [storage.metricLatency(), 'Latency', 'p99'],
    ] as const) {
      expect([metric.metricName, metric.statistic]).toEqual([name, statistic]);
      expect(Object.keys(metric.dimensions ?? {})).toEqual(dimensions);
    }
  });

  test('of a route or tier is the functions’', () => {
    const namespace = 'Stowage/test/Storage';
    const byRoute = { dimensions: { Route: 'putObject' }, namespace };
    const route = 'putObject';
    expect(resolved(storage.metricRequests({ route }))).toEqual({
      ...byRoute,
      metricName: 'Latency',
      statistic: 'SampleCount',
    });
    expect(resolved(storage.metricErrors({ route }))).toMatchObject({
      ...byRoute,
      metricName: 'Errors',
      statistic: 'Sum',
    });
    expect(resolved(storage.metricThrottles({ tier: 'small' }))).toMatchObject({
      metricName: 'Throttles',
      dimensions: { Tier: 'small' },
    });
    expect(resolved(storage.metricFeedLag({ statistic: 'p90' }))).toMatchObject({
      namespace,
      metricName: 'FeedLag',
      statistic: 'p90',
    });
  });

  test('of a tier that there is not is refused by name', () => {
    expect(() => storage.metricThrottles({ tier: 'large' })).toThrow(
      "metricThrottles: there is no tier 'large': use one of small, default",
    );
  });
});

/** So that the function for principals of the account, and its alarm, are there. */
const grant = (storage: ObjectStorage, stack: Stack) => {
  storage.grantRead(new iam.User(stack, 'User'));
};

describe('the dashboard', () => {
  const runbookUrl = 'https://wiki.example.com/stowage';
  const { template } = useStorage({ cloudWatchDashboard: true, runbookUrl }, grant);
  const plain = useStorage();

  test('is there when asked for', () => {
    plain.template.resourceCountIs('AWS::CloudWatch::Dashboard', 0);
    template.resourceCountIs('AWS::CloudWatch::Dashboard', 1);
  });

  const told = useStorage({ cloudWatchDashboard: true }, (made) => {
    made.onChange('Told', ChangeTarget.queue(new sqs.Queue(Stack.of(made), 'Told')));
  });

  test('has what is made later: the alarms and the function of a target', () => {
    const { widgets } = bodyOf(told.template);
    const alarms = widgets.find(({ type }) => type === 'alarm')?.properties.alarms;
    const count = Object.keys(told.template.findResources('AWS::CloudWatch::Alarm')).length;
    expect(alarms).toHaveLength(count);
    const titled = (title: string) =>
      widgets.find(({ properties }) => properties.title === title)?.properties.metrics ?? [];
    for (const title of ['Errors of functions', 'Throttled invocations']) {
      const labels = titled(title).map((metric) => metric.at(-1));
      expect(labels).toHaveLength(FUNCTION_NAMES.length + 1);
      expect(labels).toContainEqual(expect.objectContaining({ label: 'Notifier' }));
    }
  });

  test('has every alarm, and a way to each section of the runbook', () => {
    const { widgets } = bodyOf(template);
    const alarms = widgets.find(({ type }) => type === 'alarm')?.properties.alarms;
    const count = Object.keys(template.findResources('AWS::CloudWatch::Alarm')).length;
    expect(alarms).toHaveLength(count);
    const text = widgets.find(({ type }) => type === 'text')?.properties.markdown ?? '';
    const linked = [...text.matchAll(/\((https:\S+)#([a-z-]+)\)/g)].map(([, url, section]) => {
      expect(url).toBe(runbookUrl);
      return section;
    });
    expect(linked.sort()).toEqual(sections().sort());
  });
});

/**
 * But for those about targets, which are there with the first one:
 * test/lib/targets/change-targets.test.ts.
 */
const sections = () =>
  [...RUNBOOK.matchAll(/^## (.+)$/gm)]
    .map(([, heading = '']) => heading)
    .filter((heading) => !heading.startsWith('targets-'));

describe('alarms', () => {
  const { stack, storage, template } = useStorage({}, grant);
  const alarms = Object.entries(template.findResources('AWS::CloudWatch::Alarm'));

  test('have a section of the runbook each, and each section an alarm', () => {
    const named = alarms.map(([, { Properties }]) => Properties.AlarmDescription);
    for (const description of named) expect(description).toMatch(/^docs\/runbook\.md#[a-z-]+$/);
    const told = new Set(named.map((description) => description.split('#')[1]));
    expect([...told].sort()).toEqual(sections().sort());
  });

  test('are told of in the same words: what it means, what to look at, what mends it', () => {
    for (const section of RUNBOOK.split(/^## /m).slice(1)) {
      for (const word of ['What it means', 'Check', 'Fix'])
        expect(section).toContain(`**${word}.**`);
    }
  });

  test('are silent without data, but for the one that watches for its absence', () => {
    const breaching = alarms.filter(
      ([, { Properties }]) => Properties.TreatMissingData !== 'notBreaching',
    );
    expect(breaching.map(([, { Properties }]) => Properties)).toEqual([
      expect.objectContaining({
        AlarmDescription: 'docs/runbook.md#janitor-missing',
        MetricName: 'Invocations',
        ComparisonOperator: 'LessThanThreshold',
        Threshold: 1,
        TreatMissingData: 'breaching',
      }),
    ]);
  });

  test('stay within what CloudWatch takes (a day, or a week of longer periods), and are on one metric each', () => {
    for (const [id, { Properties }] of alarms) {
      const { Period, EvaluationPeriods, Metrics } = Properties;
      const most = Period >= 3600 ? 7 * 86_400 : 86_400;
      // On an expression an alarm costs as much as on each of its metrics, says less, and emulators
      // refuse it.
      expect([id, Period * EvaluationPeriods <= most, Metrics]).toEqual([id, true, undefined]);
    }
  });

  test('see the first message that could not be delivered', () => {
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

  test('see streams that are read late though nothing fails', () => {
    for (const { function: lagging } of [storage.functions.fanout, storage.functions.revocation]) {
      template.hasResourceProperties('AWS::CloudWatch::Alarm', {
        MetricName: 'IteratorAge',
        Threshold: 60_000,
        EvaluationPeriods: 3,
        Dimensions: [{ Name: 'FunctionName', Value: stack.resolve(lagging.functionName) }],
      });
    }
  });

  test('see failures that no function lived to tell of', () => {
    template.hasResourceProperties('AWS::CloudWatch::Alarm', {
      Namespace: 'AWS/ApiGateway',
      MetricName: '5XXError',
      Statistic: 'Average',
      Threshold: 0.01,
      Dimensions: [{ Name: 'ApiName', Value: 'test-Storage' }, Match.anyValue()],
    });
  });

  test('see a missing blob whichever function finds it', () => {
    const filters = Object.values(template.findResources('AWS::Logs::MetricFilter'));
    expect(filters).toHaveLength(4);
    template.allResourcesProperties('AWS::Logs::MetricFilter', {
      FilterPattern: '?"\\"event\\":\\"blob_missing\\"" ?"\\"event\\":\\"records_missing\\""',
    });
  });

  const bundles = useBundles();
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
    return new StorageStack(new App({ analyticsReporting: false }), 'own', {
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

  test.each<[string, object, RegExp]>([
    ['metrics that are none', { metrics: 'some' }, /metrics must be .*all, essential, false/],
    ['a dashboard that is a text', { cloudWatchDashboard: 'true' }, /must be true or false/],
    [
      'a topic that is none',
      { alarmTopicArn: 'alarms' },
      /^alarmTopicArn must be the ARN of an SNS topic, such as .* got 'alarms'$/,
    ],
    [
      'a topic of another region',
      { alarmTopicArn, account: '123456789012', region: 'us-east-1' },
      /^alarmTopicArn must be in the stack's region, us-east-1, got one in eu-west-1/,
    ],
  ])('refuse %s', (_what, settings, message) => {
    expect(() => stackOf(settings)).toThrow(message);
  });
});
