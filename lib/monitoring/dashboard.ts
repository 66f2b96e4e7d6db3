import { Aspects, Duration, Lazy } from 'aws-cdk-lib';
import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import { Construct, type IConstruct } from 'constructs';
import { ROUTES } from '../../service/routes/routes';
import { ServiceFunction } from '../functions/service-function';
import type { ChannelApi } from '../gateway/channel-api';
import type { Tables } from '../storage/tables';
import { Alarms, type Watched } from './alarms';
import type { MeasuredService } from './measured-service';

export interface ServiceDashboardProps extends Watched {
  readonly channelApi: ChannelApi;
  readonly alarms: Alarms;
  /** See MonitoringOptions. */
  readonly runbookUrl?: string;
}

const { SUM, MAXIMUM } = cloudwatch.Stats;
const WIDTH = 24;

/** One page with, from top to bottom: alarms, requests, changes, functions, tables. */
export class ServiceDashboard extends Construct {
  public readonly dashboard: cloudwatch.Dashboard;
  private readonly service: MeasuredService;

  constructor(scope: Construct, id: string, props: ServiceDashboardProps) {
    super(scope, id);
    const { service } = props;
    const { level } = service.reporting;
    this.service = service;
    const functions = row(functionGraphs());
    // The first target and the first grant add functions and alarms after the dashboard is created.
    Aspects.of(service).add({ visit: (node) => addFunction(node, functions) });
    const markdown = Lazy.string({ produce: () => guide(props) });
    this.dashboard = new cloudwatch.Dashboard(this, 'Page', {
      defaultInterval: Duration.hours(6),
      widgets: [
        [new cloudwatch.TextWidget({ markdown, width: WIDTH, height: 3 })],
        [
          new cloudwatch.AlarmStatusWidget({
            title: 'Alarms',
            alarms: props.alarms.alarms,
            width: WIDTH,
            height: 4,
          }),
        ],
        row(this.requests()),
        ...(level === 'all' ? [row(this.routes()), row(this.failures())] : []),
        ...(level === undefined ? [] : [row(this.contention())]),
        row(this.changes(props)),
        row(channels(props.channelApi)),
        functions,
        row(tableGraphs(props.tables)),
      ],
    });
  }

  private requests(): Graph[] {
    const { service } = this;
    const latency = (statistic: string) => service.metricLatency({ statistic, label: statistic });
    return [
      graph('Requests', [service.metricRequests()]),
      graph(
        'Failures (5xx)',
        [service.metricErrors()],
        [service.metricRefusals({ label: 'refused (4xx)' })],
      ),
      graph('Latency at the gateway, ms', [latency('p50'), latency('p99')]),
    ];
  }

  private routes(): Graph[] {
    const latency = (statistic: string) =>
      ROUTES.map((route) => this.service.metricLatency({ route, statistic, label: route }));
    return [
      graph('Latency by route, p50, ms', latency('p50')),
      graph('Latency by route, p99, ms', latency('p99')),
    ];
  }

  private failures(): Graph[] {
    const byRoute = (metric: 'metricRequests' | 'metricErrors' | 'metricRefusals') =>
      ROUTES.map((route) => this.service[metric]({ route, label: route }));
    return [
      graph('Requests by route', byRoute('metricRequests')),
      graph('Failures by route', byRoute('metricErrors')),
      graph('Refusals by route', byRoute('metricRefusals')),
    ];
  }

  private contention(): Graph[] {
    const { service } = this;
    return [
      graph(
        'Requests above the rate of their key, by tier',
        service.tiers.map((tier) => service.metricThrottles({ tier, label: tier })),
      ),
      graph('Races of writers, and gaps of writers that crashed', [
        service.metricCommitRetries({ label: 'commits repeated' }),
        service.metricGapFills({ label: 'gaps filled' }),
      ]),
      graph('Responses whose body broke off', [service.metricCutResponses({ label: 'responses' })]),
      graph('Unreferenced bytes removed, by day', [
        service.metricOrphanBytes({ period: Duration.days(1) }),
      ]),
    ];
  }

  private changes({ service, functions, queues }: Watched): Graph[] {
    const depth = { statistic: MAXIMUM };
    const age = (label: 'fanout' | 'revocation') =>
      functions[label].function.metric('IteratorAge', { statistic: MAXIMUM, label });
    return [
      ...(service.reporting.level === undefined
        ? []
        : [
            graph(
              'Age of the oldest change that is unpublished, or not read by a consumer, s',
              [service.metricPublishLag(), service.metricConsumerLag()],
              [
                service.metricPushFailures({ label: 'channels not reached' }),
                service.metricAbandonedTasks({ label: 'deferred tasks abandoned' }),
              ],
            ),
          ]),
      graph('Age of stream records when read, ms', [age('fanout'), age('revocation')]),
      graph('Messages in queues', [
        queues.undelivered.metricApproximateNumberOfMessagesVisible({
          ...depth,
          label: 'undelivered',
        }),
        queues.deferredTasks.metricApproximateNumberOfMessagesVisible({
          ...depth,
          label: 'deferred tasks',
        }),
      ]),
    ];
  }
}

/** Metrics that API Gateway publishes for a WebSocket API, by its id. */
function channels({ stage }: ChannelApi): Graph[] {
  const of = (name: string, label: string) => stage.metric(name, { statistic: SUM, label });
  return [
    graph('Channels', [of('ConnectCount', 'opened'), of('MessageCount', 'messages, both ways')]),
    graph('Failures of channels', [
      of('IntegrationError', 'of the function'),
      of('ExecutionError', 'of the gateway'),
      of('ClientError', 'refused'),
    ]),
  ];
}

function functionGraphs(): Graph[] {
  return [
    graph('Errors of functions', []),
    graph('Throttled invocations', []),
    graph('Concurrent functions in this account and region', [
      new cloudwatch.Metric({
        namespace: 'AWS/Lambda',
        metricName: 'ConcurrentExecutions',
        statistic: MAXIMUM,
        label: 'concurrency',
      }),
    ]),
  ];
}

function addFunction(
  node: IConstruct,
  [errors, throttles]: readonly cloudwatch.GraphWidget[],
): void {
  if (!(node instanceof ServiceFunction)) return;
  const label = node.node.id;
  errors?.addLeftMetric(node.function.metricErrors({ label }));
  throttles?.addLeftMetric(node.function.metricThrottles({ label }));
}

function tableGraphs({ buckets, objects, changes }: Tables): Graph[] {
  const of = (metric: string) =>
    Object.entries({ buckets, objects, changes }).map(([label, table]) =>
      table.metric(metric, { statistic: SUM, label }),
    );
  return [
    graph('Write units consumed', of('ConsumedWriteCapacityUnits')),
    graph('Read units consumed', of('ConsumedReadCapacityUnits')),
    graph(
      'Throttled calls: writes, and (right) reads',
      of('WriteThrottleEvents'),
      of('ReadThrottleEvents'),
    ),
  ];
}

interface Graph {
  readonly title: string;
  readonly left: cloudwatch.IMetric[];
  readonly right: cloudwatch.IMetric[];
}

function graph(title: string, left: cloudwatch.IMetric[], right: cloudwatch.IMetric[] = []): Graph {
  return { title, left, right };
}

function row(graphs: readonly Graph[]): cloudwatch.GraphWidget[] {
  return graphs.map(
    (each) =>
      new cloudwatch.GraphWidget({
        ...each,
        width: WIDTH / graphs.length,
        height: 6,
        leftYAxis: { min: 0 },
        rightYAxis: { min: 0 },
      }),
  );
}

/** Links to the section of the runbook for each alarm. */
function guide({ alarms, runbookUrl, service }: ServiceDashboardProps): string {
  const sections = alarms.runbookSections;
  const places = sections.map((section) =>
    runbookUrl === undefined ? section : `[${section}](${Alarms.runbook(section, runbookUrl)})`,
  );
  return `# stowage: ${service.metricsNamespace.replace(/^Stowage./, '')}\nRunbook${runbookUrl === undefined ? ' (docs/runbook.md)' : ''}, a section for each alarm: ${places.join(' · ')}`;
}
