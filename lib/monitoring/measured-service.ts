import type * as apigateway from 'aws-cdk-lib/aws-apigateway';
import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import { DEFAULT_TIER } from '../../core/limits';
import {
  METRICS,
  type MetricName,
  type MetricsLevel,
} from '../../lambdas/runtime/telemetry/metrics';
import type { Route } from '../../service/routes/routes';
import type { MetricsReporting } from '../functions/functions-options';
import type { RestApi } from '../gateway/rest-api';
import { nameInAccount } from '../gateway/service-name';

/** Options of a metric with the dimension Route. */
export interface RouteMetricOptions extends cloudwatch.MetricOptions {
  /**
   * An operation of the interface (its id in the OpenAPI document), or one of `waitForChanges` (a
   * long poll), `administration`, `other`.
   *
   * @default - the whole REST API as API Gateway counts it, with requests that reached no function
   */
  readonly route?: Route;
}

/** Options of a metric with the dimension Tier. */
export interface TierMetricOptions extends cloudwatch.MetricOptions {
  /**
   * One of the service's rate tiers.
   *
   * @default 'default'
   */
  readonly tier?: string;
}

/** Settings that decide which metrics a service has. */
export interface MeasuredServiceProps {
  /** Whether the functions report metrics, and which. */
  readonly metrics?: MetricsLevel | false;
  /** The names of the rate tiers. */
  readonly tiers: readonly string[];
}

const { MAXIMUM, SAMPLE_COUNT, SUM } = cloudwatch.Stats;

/**
 * The metrics of a service: docs/operations.md, "Metrics". A method throws an Error for a metric
 * that the functions do not report at the service's level.
 */
export abstract class MeasuredService extends Construct {
  /** The REST API. */
  public abstract readonly api: RestApi;
  /** @internal What the functions report. */
  public readonly reporting: MetricsReporting;
  /** @internal The names of the rate tiers. */
  public readonly tiers: readonly string[];

  /** @internal */
  constructor(scope: Construct, id: string, { metrics = 'all', tiers }: MeasuredServiceProps) {
    super(scope, id);
    const namespace = `Stowage/${nameInAccount(this, '/')}`;
    this.reporting = { namespace, level: metrics || undefined };
    this.tiers = tiers;
  }

  /** Namespace of the metrics that the functions report. */
  public get metricsNamespace(): string {
    return this.reporting.namespace;
  }

  /** Requests. Sum. */
  public metricRequests({ route, ...options }: RouteMetricOptions = {}): cloudwatch.Metric {
    if (route === undefined) return this.stage.metricCount(options);
    // Each request has one latency.
    const counted = { statistic: SAMPLE_COUNT, label: 'requests', ...options };
    return this.reported('Latency', counted, route);
  }

  /** Responses of status 500 and above. Sum. */
  public metricErrors({ route, ...options }: RouteMetricOptions = {}): cloudwatch.Metric {
    if (route === undefined) return this.stage.metricServerError(options);
    return this.reported('Errors', options, route);
  }

  /** Responses of status 400 to 499. Sum. */
  public metricRefusals({ route, ...options }: RouteMetricOptions = {}): cloudwatch.Metric {
    if (route === undefined) return this.stage.metricClientError(options);
    return this.reported('Refusals', options, route);
  }

  /**
   * Milliseconds until the response is complete; with a route, until it begins, without the time in
   * the gateway. p99.
   */
  public metricLatency({ route, ...options }: RouteMetricOptions = {}): cloudwatch.Metric {
    const p99 = { statistic: 'p99', ...options };
    if (route === undefined) return this.stage.metricLatency(p99);
    return this.reported('Latency', p99, route);
  }

  /** Requests refused because their key exceeded its rate, by tier. Sum. */
  public metricThrottles({
    tier = DEFAULT_TIER,
    ...options
  }: TierMetricOptions = {}): cloudwatch.Metric {
    if (!this.tiers.includes(tier)) {
      throw new Error(
        `metricThrottles: there is no tier '${tier}': use one of ${this.tiers.join(', ')}`,
      );
    }
    return this.reported('Throttles', options, tier);
  }

  /** Commits that lost a race with another writer of the same key, and were repeated. Sum. */
  public metricCommitRetries(options?: cloudwatch.MetricOptions): cloudwatch.Metric {
    return this.reported('CommitRetries', options);
  }

  /** Cursors that a writer allocated and did not use in time. Sum. */
  public metricGapFills(options?: cloudwatch.MetricOptions): cloudwatch.Metric {
    return this.reported('GapFills', options);
  }

  /** Responses whose body failed while it was sent, mostly because S3 broke off. Sum. */
  public metricCutResponses(options?: cloudwatch.MetricOptions): cloudwatch.Metric {
    return this.reported('CutResponses', options);
  }

  /** Age of the oldest unpublished change of any bucket in seconds, each minute. Maximum. */
  public metricPublishLag(options?: cloudwatch.MetricOptions): cloudwatch.Metric {
    return this.reported('PublishLag', { statistic: MAXIMUM, ...options });
  }

  /** Age of the oldest change that a consumer is not done with, seconds, each minute. Maximum. */
  public metricConsumerLag(options?: cloudwatch.MetricOptions): cloudwatch.Metric {
    return this.reported('ConsumerLag', { statistic: MAXIMUM, ...options });
  }

  /** Channels to which changes could not be pushed; their clients fetch them. Sum. */
  public metricPushFailures(options?: cloudwatch.MetricOptions): cloudwatch.Metric {
    return this.reported('PushFailures', options);
  }

  /** Deferred tasks that fanout gave up; the janitor publishes their changes. Sum. */
  public metricAbandonedTasks(options?: cloudwatch.MetricOptions): cloudwatch.Metric {
    return this.reported('AbandonedTasks', options);
  }

  /** Bytes of blobs that no record names, found and removed by the reconciler. Sum. */
  public metricOrphanBytes(options?: cloudwatch.MetricOptions): cloudwatch.Metric {
    return this.reported('OrphanBytes', options);
  }

  private get stage(): apigateway.Stage {
    return this.api.restApi.deploymentStage;
  }

  private reported(
    metricName: MetricName,
    options: cloudwatch.MetricOptions = {},
    value?: string,
  ): cloudwatch.Metric {
    const { namespace, level } = this.reporting;
    const { dimension } = METRICS[metricName];
    const levels = dimension === 'Route' ? ['all'] : ['all', 'essential'];
    if (level === undefined || !levels.includes(level)) {
      throw new Error(
        `the functions of ${this.node.path} do not report ${metricName}: set metrics to '${levels.join("' or '")}'`,
      );
    }
    return new cloudwatch.Metric({
      namespace,
      metricName,
      dimensionsMap: dimension === undefined || value === undefined ? {} : { [dimension]: value },
      statistic: SUM,
      ...options,
    }).attachTo(this);
  }
}
