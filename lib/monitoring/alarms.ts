import { Duration } from 'aws-cdk-lib';
import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import * as actions from 'aws-cdk-lib/aws-cloudwatch-actions';
import * as logs from 'aws-cdk-lib/aws-logs';
import type * as sqs from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { Functions } from '../functions/functions';
import type { ServiceFunction } from '../functions/service-function';
import type { Queues } from '../storage/queues';
import type { Tables } from '../storage/tables';
import type { MonitoringOptions } from './options';
import type { ServiceMetrics } from './service-metrics';

/** What is watched: an ObjectStorage. */
export type Watched = ServiceMetrics & {
  readonly functions: Functions;
  readonly tables: Tables;
  readonly queues: Queues;
};

export interface AlarmsProps extends MonitoringOptions {
  readonly service: Watched;
}

const GIB = 1024 ** 3;

const MINUTE = Duration.minutes(1);
const FIVE_MINUTES = Duration.minutes(5);
const { MAXIMUM, SUM, AVERAGE } = cloudwatch.Stats;
const { LESS_THAN_THRESHOLD, GREATER_THAN_OR_EQUAL_TO_THRESHOLD } = cloudwatch.ComparisonOperator;
const { BREACHING, NOT_BREACHING } = cloudwatch.TreatMissingData;

/** Trouble that goes on for a quarter of an hour, not a moment of it. */
const LASTING = { threshold: 1, evaluationPeriods: 3 };

/** Every alarm of the service; docs/runbook.md has a section for each. */
export class Alarms extends Construct {
  public readonly alarms: cloudwatch.IAlarm[] = [];
  private readonly told = new Set<string>();
  private readonly service: Watched;

  constructor(
    scope: Construct,
    id: string,
    private readonly props: AlarmsProps,
  ) {
    super(scope, id);
    this.service = props.service;
    const { functions, queues } = this.service;
    const { api, download, channel, ingest, fanout, revocation, janitor } = functions;
    this.onMissingBlobs([api, download, janitor]);
    this.onServerErrors();
    this.onUndelivered(queues.undelivered);
    this.onErrors('SyncErrors', channel, 'sync-errors');
    this.onErrors('IngestErrors', ingest, 'ingest-errors');
    this.onErrors('FanoutErrors', fanout, 'fanout-errors');
    this.onErrors('RevocationErrors', revocation, 'revocation-errors');
    this.onErrors('JanitorErrors', janitor, 'janitor-errors');
    this.onMissingJanitor(janitor);
    this.onLag('FanoutLag', fanout);
    this.onLag('RevocationLag', revocation);
    this.onThrottledFunctions();
    this.onThrottledTables();
    if (this.service.metricsLevel !== undefined) {
      this.onFeedLag();
      this.onOrphans();
    }
    if (this.service.metricsLevel === 'all') this.onLatency();
  }

  /** Of the runbook: those that tell of these alarms. */
  public get sections(): readonly string[] {
    return [...this.told];
  }

  /** Where the runbook tells of an alarm. */
  public static runbook(section: string, runbookUrl = 'docs/runbook.md'): string {
    return `${runbookUrl}#${section}`;
  }

  /** A record that names a blob which S3 does not have is lost data: one is too many. */
  private onMissingBlobs(readers: readonly [ServiceFunction, ...ServiceFunction[]]): void {
    const [metric] = readers.map((reader) => this.missingBlobsIn(reader));
    if (metric !== undefined) this.add('BlobMissing', metric, 'blob-missing');
  }

  /** The same metric, whichever function adds to it. */
  private missingBlobsIn(reader: ServiceFunction): cloudwatch.Metric {
    return new logs.MetricFilter(this, `BlobMissingIn${reader.node.id}`, {
      logGroup: reader.logGroup,
      // As text: Lambda puts time and request id before the JSON of a line, and then no JSON
      // pattern matches. Within JSON, quotes that come from a client are escaped, so that none can
      // write this.
      filterPattern: logs.FilterPattern.anyTerm(
        '"event":"blob_missing"',
        '"event":"records_missing"',
      ),
      metricNamespace: this.service.metricsNamespace,
      metricName: 'BlobMissing',
    }).metric({ statistic: SUM, period: FIVE_MINUTES });
  }

  /** For the function that principals of the account invoke, where something was granted to one. */
  public onInternal(internal: ServiceFunction): void {
    this.missingBlobsIn(internal);
    this.onErrors('InternalErrors', internal, 'internal-errors');
  }

  /**
   * As the gateway counts them, so that also a function that timed out, crashed or was not let
   * start is seen. A share, because one failure in a thousand is the hiccup that clients repeat;
   * for three times five minutes, so that one unlucky request at night wakes nobody.
   */
  private onServerErrors(): void {
    const metric = this.service.metricErrors({ period: FIVE_MINUTES, statistic: AVERAGE });
    this.add('ServerErrors', metric, 'server-errors', { ...LASTING, threshold: 0.01 });
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
   * It is due every minute. Whatever keeps it from starting (a rule that was switched off, a
   * permission, the account's concurrency) is no error of the function, so that only its absence
   * tells; no data is just that.
   */
  private onMissingJanitor(janitor: ServiceFunction): void {
    const metric = janitor.function.metricInvocations({ period: FIVE_MINUTES, statistic: SUM });
    this.add('JanitorMissing', metric, 'janitor-missing', {
      ...LASTING,
      comparisonOperator: LESS_THAN_THRESHOLD,
      treatMissingData: BREACHING,
    });
  }

  /**
   * A record of the stream that was a minute old when it was read, in each of three minutes: not an
   * error, only too slow.
   */
  private onLag(id: string, fn: ServiceFunction): void {
    const metric = fn.function.metric('IteratorAge', { period: MINUTE, statistic: MAXIMUM });
    this.add(id, metric, 'lag', { threshold: 60_000, evaluationPeriods: 3 });
  }

  /**
   * Those for which somebody waits; a stream that is read late, and a janitor that is not there,
   * have their own alarms.
   */
  private onThrottledFunctions(): void {
    const { authorizer, api, download, channel, ingest } = this.service.functions;
    for (const fn of [authorizer, api, download, channel, ingest]) {
      const metric = fn.function.metricThrottles({ period: FIVE_MINUTES, statistic: SUM });
      this.add(`${fn.node.id}Throttles`, metric, 'function-throttles', LASTING);
    }
  }

  /**
   * The three that every upload writes. A moment of it is what on-demand tables do while they grow:
   * the SDK repeats those calls. An alarm on the sum of all would cost as much, and say less.
   */
  private onThrottledTables(): void {
    const { buckets, objects, changes } = this.service.tables;
    for (const table of [buckets, objects, changes]) {
      for (const way of ['Read', 'Write']) {
        const props = { period: FIVE_MINUTES, statistic: SUM };
        const metric = table.metric(`${way}ThrottleEvents`, props);
        this.add(`${table.node.id}${way}Throttles`, metric, 'table-throttles', LASTING);
      }
    }
  }

  /**
   * Of what the janitor finds undelivered, so that it shows also when the stream wakes nobody. Half
   * a minute is what fanout may push at one bucket; more than a minute it cannot be, because the
   * janitor then delivers. Three times within a quarter of an hour: in a quiet service few minutes
   * have a change.
   */
  private onFeedLag(): void {
    const metric = this.service.metricFeedLag({ period: MINUTE });
    const limits = { threshold: 30, evaluationPeriods: 15, datapointsToAlarm: 3 };
    this.add('FeedLag', metric, 'feed-lag', limits);
  }

  /**
   * A writer dies now and then, and its blob is removed; a GiB a day for three days is none that
   * dies, but one that never succeeds.
   */
  private onOrphans(): void {
    const metric = this.service.metricOrphanBytes({ period: Duration.days(1) });
    this.add('Orphans', metric, 'orphans', { threshold: GIB, evaluationPeriods: 3 });
  }

  /**
   * Far above what the two take (docs/performance.md). Where so few ask that one slow answer is the
   * hundredth part (CloudWatch: below 1,000 requests in five minutes), nothing is concluded.
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
   * `section`: of the runbook. Unless told otherwise, one datum of 1 and above raises it, and none
   * is no alarm.
   */
  public add(
    id: string,
    metric: cloudwatch.IMetric,
    section: string,
    limits: Partial<cloudwatch.CreateAlarmOptions> = {},
  ): void {
    const { alarmTopic, runbookUrl } = this.props;
    const alarm = new cloudwatch.Alarm(this, id, {
      alarmDescription: Alarms.runbook(section, runbookUrl),
      metric,
      threshold: 1,
      evaluationPeriods: 1,
      comparisonOperator: GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: NOT_BREACHING,
      ...limits,
    });
    if (alarmTopic !== undefined) alarm.addAlarmAction(new actions.SnsAction(alarmTopic));
    this.alarms.push(alarm);
    this.told.add(section);
  }
}
