import type * as sns from 'aws-cdk-lib/aws-sns';
import type { MetricsLevel } from '../../lambdas/shared/telemetry/metrics';

/** What a deployer may decide about watching the service: docs/operations.md. */
export interface MonitoringOptions {
  /**
   * Which metrics the functions report, beside those that AWS's services publish for nothing.
   * `essential` leaves out those that are told apart by route, and with them a log line for each
   * request and two alarms; `false` leaves out all, with four.
   *
   * @default 'all' - up to $0.30 a month for each route in use, and $0.18 of logs per million
   * requests
   */
  readonly metrics?: MetricsLevel | false;

  /**
   * Whether to make a dashboard in CloudWatch, for $3 a month. The service's own, for API keys and
   * objects, is there anyway.
   *
   * @default false
   */
  readonly cloudWatchDashboard?: boolean;

  /**
   * Where alarms are sent.
   *
   * @default - alarms change their state, but notify nobody
   */
  readonly alarmTopic?: sns.ITopic;

  /**
   * Where you keep the runbook: alarms and dashboard lead to its sections.
   *
   * @default 'docs/runbook.md' - its place in this package
   */
  readonly runbookUrl?: string;
}
