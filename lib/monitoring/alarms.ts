import { type CfnCondition, Duration } from 'aws-cdk-lib';
import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import * as actions from 'aws-cdk-lib/aws-cloudwatch-actions';
import * as logs from 'aws-cdk-lib/aws-logs';
import type * as sns from 'aws-cdk-lib/aws-sns';
import type * as sqs from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { Functions } from '../functions/functions';
import type { ServiceFunction } from '../functions/service-function';
import { isInCloudFrontRegion } from '../gateway/cloudfront-region';
import type { Edge } from '../gateway/edge';
import type { Queues } from '../storage/queues';
import type { Tables } from '../storage/tables';
import { edgeAlarms } from './edge-alarms';
import type { MeasuredService } from './measured-service';
import type { MonitoringOptions } from './options';

/** The parts of an ObjectStorage that alarms and dashboard watch. */
export interface Watched {
  readonly service: MeasuredService;
  readonly functions: Functions;
  readonly tables: Tables;
  readonly queues: Queues;
}

export type AlarmsProps = Watched & { readonly edge?: Edge } & Pick<
    MonitoringOptions,
    'alarms' | 'alarmTopic' | 'cloudWatchDashboard' | 'consumerLag' | 'runbookUrl'
  >;

const GIB = 1024 ** 3;

const MINUTE = Duration.minutes(1);
const FIVE_MINUTES = Duration.minutes(5);
const { MAXIMUM, SUM, AVERAGE } = cloudwatch.Stats;
const { LESS_THAN_THRESHOLD, GREATER_THAN_OR_EQUAL_TO_THRESHOLD } = cloudwatch.ComparisonOperator;
const { BREACHING, NOT_BREACHING } = cloudwatch.TreatMissingData;

/** When an alarm is raised, and whether it exists. */
type Limits = Partial<cloudwatch.CreateAlarmOptions> & { readonly exists?: true | CfnCondition };

/** Three periods of five minutes in a row. */
const LASTING = { threshold: 1, evaluationPeriods: 3 };

/**
 * Every alarm of the service, unless alarms are off; docs/runbook.md has a section for each. Metric
 * filters cost nothing, so they count in any case.
 */
export class Alarms extends Construct {
  /** Without those that exist in one region only, unless the stack is there. */
  public readonly alarms: cloudwatch.IAlarm[] = [];
  private readonly sections = new Set<string>();
  private readonly service: MeasuredService;
  private readonly topic: sns.ITopic | undefined;
  private readonly runbookUrl: string | undefined;
  private readonly isOn: boolean;

  constructor(scope: Construct, id: string, props: AlarmsProps) {
    super(scope, id);
    const { service, functions, tables, queues } = props;
    this.service = service;
    this.topic = props.alarmTopic;
    this.runbookUrl = props.runbookUrl;
    this.isOn = props.alarms ?? (props.alarmTopic !== undefined || !!props.cloudWatchDashboard);
    const { api, download, channel, ingest, fanout, revocation, janitor } = functions;
    this.onMissingBlobs([api, download, janitor]);
    this.onServerErrors();
    this.onRefusals();
    if (props.edge !== undefined) this.onEdge(props.edge);
    this.onUndelivered(queues.undelivered);
    this.onErrors('ChannelErrors', channel, 'channel-errors');
    this.onErrors('IngestErrors', ingest, 'ingest-errors');
    this.onErrors('FanoutErrors', fanout, 'fanout-errors');
    this.onErrors('RevocationErrors', revocation, 'revocation-errors');
    this.onErrors('JanitorErrors', janitor, 'janitor-errors');
    this.onMissingJanitor(janitor);
    this.onLag('FanoutLag', fanout);
    this.onLag('RevocationLag', revocation);
    this.onThrottledFunctions(functions);
    this.onThrottledTables(tables);
    const { level } = service.reporting;
    if (level !== undefined) {
      this.onPublishLag();
      this.onConsumerLag(props.consumerLag);
      this.onOrphans();
    }
    if (level === 'all') this.onLatency();
  }

  /** The sections of the runbook that describe these alarms. */
  public get runbookSections(): readonly string[] {
    return [...this.sections];
  }

  /** The address of a section of the runbook. */
  public static runbook(section: string, runbookUrl = 'docs/runbook.md'): string {
    return `${runbookUrl}#${section}`;
  }

  /** The alarms on the function that principals of the account invoke. */
  public onInternal(internal: ServiceFunction): void {
    this.missingBlobsIn(internal);
    this.onErrors('InternalErrors', internal, 'internal-errors');
  }

  /** The alarms on the function that notifies the targets of `onChange`. */
  public onTargets(notifier: ServiceFunction): void {
    this.onErrors('TargetsErrors', notifier, 'targets-errors');
    for (const [id, event, section] of [
      ['TargetsLag', 'notification_late', 'targets-lag'],
      ['TargetsLost', 'notification_expired', 'targets-lost'],
    ] as const) {
      this.add(id, this.logMetric(`${id}Filter`, id, notifier, isEvent(event)), section);
    }
  }

  /** A record whose blob is missing in S3 is lost data, so the alarm does not wait for a second. */
  private onMissingBlobs(readers: readonly [ServiceFunction, ...ServiceFunction[]]): void {
    const [metric] = readers.map((reader) => this.missingBlobsIn(reader));
    if (metric !== undefined) this.add('BlobMissing', metric, 'blob-missing');
  }

  /** One metric, to which the logs of several functions add. */
  private missingBlobsIn(reader: ServiceFunction): cloudwatch.Metric {
    const pattern = logs.FilterPattern.any(isEvent('blob_missing'), isEvent('records_missing'));
    return this.logMetric(`BlobMissingIn${reader.node.id}`, 'BlobMissing', reader, pattern);
  }

  /** Counts the lines of a log that match the pattern. */
  private logMetric(
    id: string,
    metricName: string,
    { logGroup }: { readonly logGroup: logs.ILogGroup },
    filterPattern: logs.IFilterPattern,
  ): cloudwatch.Metric {
    return new logs.MetricFilter(this, id, {
      logGroup,
      filterPattern,
      metricNamespace: this.service.metricsNamespace,
      metricName,
    }).metric({ statistic: SUM, period: FIVE_MINUTES });
  }

  /**
   * Counted by the gateway, so it includes functions that timed out, crashed or could not start.
   * The alarm is on the share of failed requests, because clients repeat a single one; for three
   * periods, so that a single failed request does not page anyone.
   */
  private onServerErrors(): void {
    const metric = this.service.metricErrors({ period: FIVE_MINUTES, statistic: AVERAGE });
    this.add('ServerErrors', metric, 'server-errors', { ...LASTING, threshold: 0.01 });
  }

  /** A service that refuses nearly everybody, while its functions have no error. */
  private onRefusals(): void {
    const metric = this.service.metricRefusals({ period: FIVE_MINUTES, statistic: AVERAGE });
    this.add('Refusals', metric, 'refusals', { ...LASTING, threshold: 0.9 });
  }

  /**
   * The REST API refuses requests without the secret of the edge. A person who tries its own
   * address is refused now and then; requests of the edge only while the secrets differ.
   */
  private onEdge(edge: Edge): void {
    const denied = logs.FilterPattern.stringValue('$.error_type', '=', 'ACCESS_DENIED');
    const logGroup = this.service.api.accessLogs;
    const metric = this.logMetric('AccessDeniedFilter', 'AccessDenied', { logGroup }, denied);
    this.add('AccessDenied', metric, 'access-denied', { ...LASTING, threshold: 10 });

    if (!this.isOn) return;
    const where = isInCloudFrontRegion(edge);
    if (where === false) return;
    for (const { id, metric: ofEdge, section, threshold } of edgeAlarms(edge)) {
      this.add(id, ofEdge, section, { ...LASTING, threshold, exists: where });
    }
  }

  private onUndelivered(queue: sqs.IQueue): void {
    const metric = queue.metricApproximateNumberOfMessagesVisible({
      period: FIVE_MINUTES,
      statistic: MAXIMUM,
    });
    this.add('Undelivered', metric, 'undelivered');
  }

  private onErrors(id: string, fn: ServiceFunction, section: string): void {
    this.add(id, fn.function.metricErrors({ period: FIVE_MINUTES, statistic: SUM }), section);
  }

  /**
   * Two rules invoke the janitor every minute, others more rarely. A disabled rule, a missing
   * permission or the account's concurrency keeps it from starting without an error of the
   * function, so the alarm is on too few invocations: fewer than both rules cause, and more than
   * one causes. CloudWatch reports no invocation at all as missing data.
   */
  private onMissingJanitor(janitor: ServiceFunction): void {
    const metric = janitor.function.metricInvocations({ period: FIVE_MINUTES, statistic: SUM });
    this.add('JanitorMissing', metric, 'janitor-missing', {
      ...LASTING,
      threshold: 8,
      comparisonOperator: LESS_THAN_THRESHOLD,
      treatMissingData: BREACHING,
    });
  }

  /** The function read stream records that were a minute old, in each of three minutes. */
  private onLag(id: string, fn: ServiceFunction): void {
    const metric = fn.function.metric('IteratorAge', { period: MINUTE, statistic: MAXIMUM });
    this.add(id, metric, 'lag', { threshold: 60_000, evaluationPeriods: 3 });
  }

  /**
   * The functions that a client waits for, and ingest. A stream that is read late and a missing
   * janitor have alarms of their own.
   */
  private onThrottledFunctions(functions: Functions): void {
    const { authorizer, api, download, changes, channel, ingest } = functions;
    for (const fn of [authorizer, api, download, changes, channel, ingest]) {
      const metric = fn.function.metricThrottles({ period: FIVE_MINUTES, statistic: SUM });
      this.add(`${fn.node.id}Throttles`, metric, 'function-throttles', LASTING);
    }
  }

  /**
   * The three tables that every upload writes. On-demand tables throttle for a moment while they
   * grow, and the SDK repeats those calls. An alarm on the sum would cost as much, and say less.
   */
  private onThrottledTables({ buckets, objects, changes }: Tables): void {
    for (const table of [buckets, objects, changes]) {
      for (const access of ['Read', 'Write']) {
        const props = { period: FIVE_MINUTES, statistic: SUM };
        const metric = table.metric(`${access}ThrottleEvents`, props);
        this.add(`${table.node.id}${access}Throttles`, metric, 'table-throttles', LASTING);
      }
    }
  }

  /**
   * Measured by the janitor, so that it also shows a stream that wakes no function. Fanout may push
   * to the channels of one bucket for half a minute; after a minute the janitor publishes itself.
   * Three data points in a quarter of an hour: a quiet service has a change in few minutes only.
   */
  private onPublishLag(): void {
    const metric = this.service.metricPublishLag({ period: MINUTE });
    const limits = { threshold: 30, evaluationPeriods: 15, datapointsToAlarm: 3 };
    this.add('PublishLag', metric, 'publish-lag', limits);
  }

  /** Measured by the janitor each minute, so that a single slow batch of a consumer is no alarm. */
  private onConsumerLag(longest: Duration | undefined): void {
    if (longest === undefined) return;
    const metric = this.service.metricConsumerLag({ period: MINUTE });
    const limits = { threshold: longest.toSeconds(), evaluationPeriods: 5 };
    this.add('ConsumerLag', metric, 'consumer-lag', limits);
  }

  /**
   * A writer that crashes leaves a blob, which the reconciler removes. A GiB a day on three days
   * means writers that regularly fail to commit.
   */
  private onOrphans(): void {
    const metric = this.service.metricOrphanBytes({ period: Duration.days(1) });
    this.add('Orphans', metric, 'orphans', { threshold: GIB, evaluationPeriods: 3 });
  }

  /**
   * Far above the usual latency (docs/performance.md). With few requests (CloudWatch: below 1,000
   * in five minutes) one slow response would decide the percentile, so the alarm keeps its state.
   */
  private onLatency(): void {
    for (const [id, route, threshold] of [
      ['ReadLatency', 'getObject', 1_000],
      ['WriteLatency', 'putObject', 2_000],
    ] as const) {
      const metric = this.service.metricLatency({ route, period: FIVE_MINUTES });
      const evaluateLowSampleCountPercentile = 'ignore';
      this.add(id, metric, 'latency', {
        ...LASTING,
        threshold,
        evaluateLowSampleCountPercentile,
      });
    }
  }

  /**
   * Adds an alarm that a section of the runbook describes. By default one data point of 1 and above
   * raises it, and missing data does not.
   */
  private add(
    id: string,
    metric: cloudwatch.IMetric,
    section: string,
    { exists = true, ...limits }: Limits = {},
  ): void {
    if (!this.isOn) return;
    const alarm = new cloudwatch.Alarm(this, id, {
      alarmDescription: Alarms.runbook(section, this.runbookUrl),
      metric,
      threshold: 1,
      evaluationPeriods: 1,
      comparisonOperator: GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: NOT_BREACHING,
      ...limits,
    });
    if (this.topic !== undefined) alarm.addAlarmAction(new actions.SnsAction(this.topic));
    this.sections.add(section);
    if (exists === true) this.alarms.push(alarm);
    else requireCfn(alarm).cfnOptions.condition = exists;
  }
}

function requireCfn(alarm: cloudwatch.Alarm): cloudwatch.CfnAlarm {
  const child = alarm.node.defaultChild;
  if (!(child instanceof cloudwatch.CfnAlarm)) throw new Error('the alarm has no CfnAlarm child');
  return child;
}

/** Matches the log lines of an event. Clients choose values of other fields only. */
function isEvent(event: string): logs.JsonPattern {
  return logs.FilterPattern.stringValue('$.event', '=', event);
}
