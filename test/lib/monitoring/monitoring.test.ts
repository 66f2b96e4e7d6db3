import { Duration, Stack } from 'aws-cdk-lib';
import type { Template } from 'aws-cdk-lib/assertions';
import * as sqs from 'aws-cdk-lib/aws-sqs';
import { ChangeTarget, type ObjectStorage } from '../../../lib';
import { FUNCTION_NAMES } from '../../../lib/functions/service-function';
import { reportEverything } from '../../support/everything-reported';
import { useStorage } from '../synthesize';
import { grant, sections } from './runbook';

/** `Latency{Route=getObject}`: the identity of a metric in CloudWatch. */
function seriesOf(name: string, dimensions: Readonly<Record<string, string>> = {}): string {
  const pairs = Object.entries(dimensions).map(([key, value]) => `${key}=${value}`);
  return `${name}{${pairs}}`;
}

/** The metrics that the functions' code reports, under the namespace of the stack. */
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

/** The dashboard's body, with `token` instead of values that are known at deployment. */
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
 * Returns the service's own metrics on the dashboard, where a metric is a list: `[namespace, name,
 * dimension, value, …, options]`.
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

  test('the dashboard shows exactly the metrics that the functions report', async () => {
    expect([...shown(template)].sort()).toEqual([...(await reported(template, metrics))].sort());
  });

  test('every alarm on a metric of the service is on one that is reported', async () => {
    const known = await reported(template, metrics);
    // Metric filters count these from log lines.
    for (const name of ['BlobMissing', 'AccessDenied'])
      known.add(`Stowage/test/Storage ${seriesOf(name)}`);
    expect([...alarmed(template)].filter((series) => !known.has(series))).toEqual([]);
  });
});

describe('metrics: false', () => {
  const { template, storage } = useStorage({ metrics: false, cloudWatchDashboard: true });

  test('functions report nothing, the dashboard shows none of their metrics, and only what metric filters count has an alarm', () => {
    expect(JSON.stringify(template.findResources('AWS::Lambda::Function'))).not.toContain(
      'METRICS',
    );
    expect(shown(template)).toEqual(new Set());
    expect([...alarmed(template)].sort()).toEqual([
      'Stowage/test/Storage AccessDenied{}',
      'Stowage/test/Storage BlobMissing{}',
    ]);
  });

  test('a metric method throws for metrics that are not reported, and works for those of AWS', () => {
    expect(() => storage.metricPublishLag()).toThrow(
      "the functions of test/Storage do not report PublishLag: set metrics to 'all' or 'essential'",
    );
    expect(() => storage.metricLatency({ route: 'putObject' })).toThrow("set metrics to 'all'");
    expect(storage.metricErrors().namespace).toBe('AWS/ApiGateway');
  });
});

describe('consumerLag', () => {
  const alarmOn = (props: object) => {
    const { template } = useStorage(props);
    return Object.values(template.findResources('AWS::CloudWatch::Alarm'))
      .map(({ Properties }) => Properties)
      .filter(({ MetricName }) => MetricName === 'ConsumerLag');
  };
  const late = alarmOn({ alarms: true, consumerLag: Duration.minutes(10) });
  const plain = alarmOn({ alarms: true });

  test('raises an alarm when a consumer is behind by this time in each of five minutes', () => {
    expect(late).toMatchObject([
      { Threshold: 600, Period: 60, EvaluationPeriods: 5, Statistic: 'Maximum' },
    ]);
    expect(plain).toEqual([]);
  });
});

describe('a metric', () => {
  const { stack, storage } = useStorage({ rateTiers: { small: {} } });
  const resolved = (metric: ReturnType<ObjectStorage['metricRequests']>) => {
    const { namespace, metricName, dimensions, statistic } = metric;
    return stack.resolve({ namespace, metricName, dimensions, statistic });
  };

  test('of the whole API is that of the gateway', () => {
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

  test('of a route or tier is that of the functions', () => {
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
    expect(resolved(storage.metricPublishLag({ statistic: 'p90' }))).toMatchObject({
      namespace,
      metricName: 'PublishLag',
      statistic: 'p90',
    });
  });

  test('of an unknown tier throws an Error that names the tiers', () => {
    expect(() => storage.metricThrottles({ tier: 'large' })).toThrow(
      "metricThrottles: there is no tier 'large': use one of small, default",
    );
  });
});

/** The number of alarms that exist wherever the stack is deployed. */
function certain(template: Template): number {
  const alarms = Object.values(template.findResources('AWS::CloudWatch::Alarm'));
  return alarms.filter(({ Condition }) => Condition === undefined).length;
}

describe('the dashboard', () => {
  const runbookUrl = 'https://wiki.example.com/stowage';
  const consumerLag = Duration.minutes(10);
  const props = { cloudWatchDashboard: true, runbookUrl, consumerLag };
  const { template } = useStorage(props, grant);
  const plain = useStorage();

  test('exists only with cloudWatchDashboard', () => {
    plain.template.resourceCountIs('AWS::CloudWatch::Dashboard', 0);
    template.resourceCountIs('AWS::CloudWatch::Dashboard', 1);
  });

  const withTarget = useStorage({ cloudWatchDashboard: true }, (made) => {
    made.onChange('Target', ChangeTarget.queue(new sqs.Queue(Stack.of(made), 'Target')));
  });

  test('shows alarms and function of a target that is added later', () => {
    const { widgets } = bodyOf(withTarget.template);
    const alarms = widgets.find(({ type }) => type === 'alarm')?.properties.alarms;
    expect(alarms).toHaveLength(certain(withTarget.template));
    const titled = (title: string) =>
      widgets.find(({ properties }) => properties.title === title)?.properties.metrics ?? [];
    for (const title of ['Errors of functions', 'Throttled invocations']) {
      const labels = titled(title).map((metric) => metric.at(-1));
      expect(labels).toHaveLength(FUNCTION_NAMES.length + 1);
      expect(labels).toContainEqual(expect.objectContaining({ label: 'Notifier' }));
    }
  });

  test('shows every alarm, and links to each section of the runbook', () => {
    const { widgets } = bodyOf(template);
    const alarms = widgets.find(({ type }) => type === 'alarm')?.properties.alarms;
    expect(alarms).toHaveLength(certain(template));
    const text = widgets.find(({ type }) => type === 'text')?.properties.markdown ?? '';
    const linked = [...text.matchAll(/\((https:\S+)#([a-z-]+)\)/g)].map(([, url, section]) => {
      expect(url).toBe(runbookUrl);
      return section;
    });
    expect(linked.sort()).toEqual([...sections()].sort());
  });
});
