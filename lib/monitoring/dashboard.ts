import { Aspects, Duration, Lazy } from 'aws-cdk-lib';
import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import { Construct, type IConstruct } from 'constructs';
import { ROUTES } from '../../lambdas/shared/routes';
import { ServiceFunction } from '../functions/service-function';
import type { ChannelApi } from '../gateway/channel-api';
import { Alarms, type Watched } from './alarms';

export interface ServiceDashboardProps {
  readonly service: Watched & { readonly syncApi: ChannelApi };
  readonly alarms: Alarms;
  /** See MonitoringOptions. */
  readonly runbookUrl?: string;
}

const { SUM, MAXIMUM } = cloudwatch.Stats;
const WIDTH = 24;

/**
 * One page that answers: is it well, who notices, and where to look. From top to bottom: alarms,
 * requests, changes, stores.
 */
export class ServiceDashboard extends Construct {
  public readonly dashboard: cloudwatch.Dashboard;
  private readonly service: ServiceDashboardProps['service'];

  constructor(scope: Construct, id: string, props: ServiceDashboardProps) {
    super(scope, id);
    this.service = props.service;
    const functions = row(this.functions());
    // Functions and alarms are added as long as the app is made: with the first target, the first
    // grant.
    Aspects.of(this.service).add({ visit: (node) => this.addFunction(node, functions) });
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
        ...(this.service.metricsLevel === 'all' ? [row(this.routes()), row(this.failures())] : []),
        ...(this.service.metricsLevel === undefined ? [] : [row(this.contention())]),
        row(this.changes()),
        row(this.channels()),
        functions,
        row(this.tables()),
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
    const of = (ask: (props: object) => cloudwatch.IMetric) =>
      ROUTES.map((route) => ask({ route, label: route }));
    return [
      graph(
        'Requests by route',
        of((props) => this.service.metricRequests(props)),
      ),
      graph(
        'Failures by route',
        of((props) => this.service.metricErrors(props)),
      ),
      graph(
        'Refusals by route',
        of((props) => this.service.metricRefusals(props)),
      ),
    ];
  }

  private contention(): Graph[] {
    const { service } = this;
    return [
      graph(
        'Requests above the rate of their key, by tier',
        service.rateTierNames.map((tier) => service.metricThrottles({ tier, label: tier })),
      ),
      graph('Races of writers, and numbers that died', [
        service.metricCommitRetries({ label: 'commits repeated' }),
        service.metricFences({ label: 'numbers fenced' }),
      ]),
      graph('Unreferenced bytes that were removed, by day', [
        service.metricOrphanBytes({ period: Duration.days(1) }),
      ]),
    ];
  }

  private changes(): Graph[] {
    const { functions, queues, metricsLevel } = this.service;
    const depth = { statistic: MAXIMUM };
    const age = (label: 'fanout' | 'revocation') =>
      functions[label].function.metric('IteratorAge', { statistic: MAXIMUM, label });
    return [
      ...(metricsLevel === undefined
        ? []
        : [
            graph(
              'Age of the oldest undelivered change, s',
              [this.service.metricFeedLag()],
              [this.service.metricPushFailures({ label: 'followers not reached' })],
            ),
          ]),
      graph('Age of stream records when read, ms', [age('fanout'), age('revocation')]),
      graph('Messages in queues', [
        queues.undelivered.metricApproximateNumberOfMessagesVisible({
          ...depth,
          label: 'undelivered',
        }),
        queues.followUps.metricApproximateNumberOfMessagesVisible({
          ...depth,
          label: 'follow-ups',
        }),
      ]),
    ];
  }

  /** A WebSocket API's own metrics, which are told apart by its id. */
  private channels(): Graph[] {
    const { stage } = this.service.syncApi;
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

  private functions(): Graph[] {
    return [
      graph('Errors of functions', []),
      graph('Invocations that were throttled', []),
      graph('Functions at work in this account and region', [
        new cloudwatch.Metric({
          namespace: 'AWS/Lambda',
          metricName: 'ConcurrentExecutions',
          statistic: MAXIMUM,
          label: 'concurrency',
        }),
      ]),
    ];
  }

  private addFunction(node: IConstruct, [errors, throttles]: cloudwatch.GraphWidget[]): void {
    if (!(node instanceof ServiceFunction)) return;
    const label = node.node.id;
    errors?.addLeftMetric(node.function.metricErrors({ label }));
    throttles?.addLeftMetric(node.function.metricThrottles({ label }));
  }

  private tables(): Graph[] {
    const { buckets, objects, changes } = this.service.tables;
    const of = (metric: string) =>
      Object.entries({ buckets, objects, changes }).map(([label, table]) =>
        table.metric(metric, { statistic: SUM, label }),
      );
    return [
      graph('Write units consumed', of('ConsumedWriteCapacityUnits')),
      graph('Read units consumed', of('ConsumedReadCapacityUnits')),
      graph(
        'Calls throttled: writes, and (right) reads',
        of('WriteThrottleEvents'),
        of('ReadThrottleEvents'),
      ),
    ];
  }
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

/** What to read when an alarm stands. */
function guide({ alarms, runbookUrl, service }: ServiceDashboardProps): string {
  const sections = alarms.sections;
  const places = sections.map((section) =>
    runbookUrl === undefined ? section : `[${section}](${Alarms.runbook(section, runbookUrl)})`,
  );
  return `# stowage: ${service.metricsNamespace.replace(/^Stowage./, '')}\nRunbook${runbookUrl === undefined ? ' (docs/runbook.md)' : ''}, a section for each alarm: ${places.join(' · ')}`;
}
