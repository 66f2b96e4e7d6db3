import type { Duration } from 'aws-cdk-lib';
import type * as sns from 'aws-cdk-lib/aws-sns';
import type { MetricsLevel } from '../../lambdas/runtime/telemetry/metrics';

/** Options of metrics, alarms and the CloudWatch dashboard: docs/operations.md. */
export interface MonitoringOptions {
  /**
   * The metrics that the functions report, in addition to those that AWS services publish for free.
   * `essential` leaves out the metrics by route, and with them a log line for each request and two
   * alarms; `false` leaves out all metrics, and four alarms.
   *
   * @default 'all' - up to $0.30 a month for each route in use, and $0.18 of logs per million
   * requests
   */
  readonly metrics?: MetricsLevel | false;

  /**
   * Whether to create a dashboard in CloudWatch, for $3 a month. The service's own dashboard, for
   * API keys and objects, does not depend on it.
   *
   * @default false
   */
  readonly cloudWatchDashboard?: boolean;

  /**
   * Whether to create the alarms, for $0.10 a month each, $2.70 in all. Without them CloudWatch
   * keeps the metrics that AWS and the functions report, and nothing watches these.
   *
   * @default - true with `alarmTopic` or `cloudWatchDashboard`, where somebody sees them
   */
  readonly alarms?: boolean;

  /**
   * Lag of a consumer that raises an alarm: the age of the oldest change that it is not done with,
   * in each of five minutes. A consumer that nobody uses raises it until it is deleted. Needs
   * `metrics`, and costs $0.10 a month.
   *
   * @default - no alarm: how late a follower may be depends on what it does
   */
  readonly consumerLag?: Duration;

  /**
   * The topic that alarms notify.
   *
   * @default - alarms, if there are any, change their state without a notification
   */
  readonly alarmTopic?: sns.ITopic;

  /**
   * Where you publish the runbook: alarms and dashboard link to its sections.
   *
   * @default 'docs/runbook.md' - its path in this package
   */
  readonly runbookUrl?: string;
}
