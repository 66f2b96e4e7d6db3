import { Duration } from 'aws-cdk-lib';
import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import * as actions from 'aws-cdk-lib/aws-cloudwatch-actions';
import * as logs from 'aws-cdk-lib/aws-logs';
import type * as sns from 'aws-cdk-lib/aws-sns';
import type * as sqs from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { ServiceFunction } from './service-function';

export interface MonitoringProps {
  readonly sync: ServiceFunction;
  readonly ingest: ServiceFunction;
  readonly fanout: ServiceFunction;
  readonly revocation: ServiceFunction;
  readonly janitor: ServiceFunction;

  /** The queue that holds what was given up. */
  readonly undelivered: sqs.IQueue;

  /** Functions that may find a record whose blob is missing. */
  readonly readers: readonly ServiceFunction[];

  /**
   * Where alarms are sent.
   *
   * @default - alarms change their state, but notify nobody
   */
  readonly alarmTopic?: sns.ITopic;
}

/** Every alarm of the service; docs/runbook.md has a section for each. */
export class Monitoring extends Construct {
  private readonly alarmTopic: sns.ITopic | undefined;

  constructor(scope: Construct, id: string, props: MonitoringProps) {
    super(scope, id);
    this.alarmTopic = props.alarmTopic;
    this.alarmOnMissingBlobs(props.readers);
    this.alarmOnUndelivered(props.undelivered);
    this.alarmOnErrors('SyncErrors', props.sync, 'sync-errors');
    this.alarmOnErrors('IngestErrors', props.ingest, 'ingest-errors');
    this.alarmOnErrors('FanoutErrors', props.fanout, 'fanout-errors');
    this.alarmOnErrors('RevocationErrors', props.revocation, 'revocation-errors');
    this.alarmOnErrors('JanitorErrors', props.janitor, 'janitor-errors');
    this.alarmOnLag('FanoutLag', props.fanout);
    this.alarmOnLag('RevocationLag', props.revocation);
  }

  /** A record that names a blob which S3 does not have is lost data: one is too many. */
  private alarmOnMissingBlobs(readers: readonly ServiceFunction[]): void {
    const metrics = readers.map((reader) =>
      new logs.MetricFilter(this, `BlobMissingIn${reader.node.id}`, {
        logGroup: reader.logGroup,
        // As text: Lambda puts time and request id before the JSON of a line, and then no JSON pattern matches. Within
        // JSON, quotes that come from a client are escaped, so that none can write this.
        filterPattern: logs.FilterPattern.allTerms('"event":"blob_missing"'),
        // The path keeps two services in one account apart.
        metricNamespace: `Stowage/${this.node.path}`,
        metricName: 'BlobMissing',
      }).metric({ statistic: cloudwatch.Stats.SUM, period: Duration.minutes(5) }),
    );
    const [metric] = metrics;
    if (metric === undefined)
      throw new Error('readers is empty: name the functions that read blobs');
    this.alarm('BlobMissing', metric, 'blob-missing');
  }

  private alarmOnUndelivered(queue: sqs.IQueue): void {
    const metric = queue.metricApproximateNumberOfMessagesVisible({
      period: Duration.minutes(5),
      statistic: cloudwatch.Stats.MAXIMUM,
    });
    this.alarm('Undelivered', metric, 'undelivered');
  }

  private alarmOnErrors(id: string, fn: ServiceFunction, section: string): void {
    const period = Duration.minutes(5);
    this.alarm(id, fn.function.metricErrors({ period, statistic: cloudwatch.Stats.SUM }), section);
  }

  /** A record of the stream that was a minute old when it was read, in each of three minutes: not an error, only too slow. */
  private alarmOnLag(id: string, fn: ServiceFunction): void {
    const metric = fn.function.metric('IteratorAge', {
      period: Duration.minutes(1),
      statistic: cloudwatch.Stats.MAXIMUM,
    });
    this.alarm(id, metric, 'lag', { threshold: 60_000, evaluationPeriods: 3 });
  }

  private alarm(
    id: string,
    metric: cloudwatch.IMetric,
    section: string,
    limits = { threshold: 1, evaluationPeriods: 1 },
  ): void {
    const alarm = new cloudwatch.Alarm(this, id, {
      alarmDescription: `docs/runbook.md#${section}`,
      metric,
      ...limits,
      comparisonOperator: cloudwatch.ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: cloudwatch.TreatMissingData.NOT_BREACHING,
    });
    if (this.alarmTopic !== undefined) alarm.addAlarmAction(new actions.SnsAction(this.alarmTopic));
  }
}
