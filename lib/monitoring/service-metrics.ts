import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import { DEFAULT_TIER } from '../../core/limits';
import type { Route } from '../../lambdas/shared/routes';
import {
  METRICS,
  type MetricName,
  type MetricsLevel,
} from '../../lambdas/shared/telemetry/metrics';
import type { RestApi } from '../gateway/rest-api';
import { nameInAccount } from '../service-name';

/** Whose metric, beside period, statistic and the like. */
export interface RouteMetricOptions extends cloudwatch.MetricOptions {
  /**
   * An operation of the interface (its id in the OpenAPI document), or one of `waitForChanges` (a
   * long poll), `administration`, `other`.
   *
   * @default - the whole REST API, as API Gateway counts it: also what no function saw
   */
  readonly route?: Route;
}

/** Whose metric, beside period, statistic and the like. */
export interface TierMetricOptions extends cloudwatch.MetricOptions {
  /**
   * One of the service's rate tiers.
   *
   * @default 'default'
   */
  readonly tier?: string;
}

export interface ServiceMetricsProps {
  readonly level: MetricsLevel | false;
  readonly tiers: readonly string[];
}

/**
 * The metrics of a service: docs/operations.md, "Metrics". What the functions do not report cannot
 * be asked for.
 */
export abstract class ServiceMetrics extends Construct {
  /** Undefined: the functions report nothing. */
  public readonly metricsLevel: MetricsLevel | undefined;
  /** By its keys' limits. */
  public readonly rateTierNames: readonly string[];
  /** The REST API. */
  public abstract readonly api: RestApi;

  constructor(scope: Construct, id: string, props: ServiceMetricsProps) {
    super(scope, id);
    this.metricsLevel = props.level || undefined;
    this.rateTierNames = props.tiers;
  }

  /** Of what the functions report. */
  public get metricsNamespace(): string {
    return `Stowage/${nameInAccount(this, '/')}`;
  }

  /** Requests. Sum. */
  public metricRequests({ route, ...options }: RouteMetricOptions = {}): cloudwatch.Metric {
    if (route === undefined) return this.api.restApi.deploymentStage.metricCount(options);
    // Each request has one latency.
    const statistic = cloudwatch.Stats.SAMPLE_COUNT;
    return this.reported('Latency', { statistic, label: 'requests', ...options }, route);
  }

  /** Answers of 500 and above. Sum. */
  public metricErrors({ route, ...options }: RouteMetricOptions = {}): cloudwatch.Metric {
    if (route === undefined) return this.api.restApi.deploymentStage.metricServerError(options);
    return this.reported('Errors', options, route);
  }

  /** Answers of 400 to 499: a client asked for what it may not have, or what is not there. Sum. */
  public metricRefusals({ route, ...options }: RouteMetricOptions = {}): cloudwatch.Metric {
    if (route === undefined) return this.api.restApi.deploymentStage.metricClientError(options);
    return this.reported('Refusals', options, route);
  }

  /**
   * Milliseconds until the answer is there; with a route, until it begins, without the gateway.
   * p99.
   */
  public metricLatency({ route, ...options }: RouteMetricOptions = {}): cloudwatch.Metric {
    const p99 = { statistic: 'p99', ...options };
    if (route === undefined) return this.api.restApi.deploymentStage.metricLatency(p99);
    return this.reported('Latency', p99, route);
  }

  /** Requests refused because their key had used up its rate, by tier. Sum. */
  public metricThrottles(props: TierMetricOptions = {}): cloudwatch.Metric {
    const { tier = DEFAULT_TIER, ...options } = props;
    if (!this.rateTierNames.includes(tier)) {
      throw new Error(
        `metricThrottles: there is no tier '${tier}': use one of ${this.rateTierNames.join(', ')}`,
      );
    }
    return this.reported('Throttles', options, tier);
  }

  /**
   * Attempts to commit that lost a race with another writer of the same key, and were repeated.
   * Sum.
   */
  public metricCommitRetries(options: cloudwatch.MetricOptions = {}): cloudwatch.Metric {
    return this.reported('CommitRetries', options);
  }

  /** Numbers of the log whose writer did not use them in time. Sum. */
  public metricFences(options: cloudwatch.MetricOptions = {}): cloudwatch.Metric {
    return this.reported('Fences', options);
  }

  /**
   * Seconds that the oldest undelivered change of any bucket has waited, looked at each minute.
   * Maximum.
   */
  public metricFeedLag(options: cloudwatch.MetricOptions = {}): cloudwatch.Metric {
    return this.reported('FeedLag', { statistic: cloudwatch.Stats.MAXIMUM, ...options });
  }

  /**
   * Followers that a run of changes could not be sent to, and who get it by their own pings. Sum.
   */
  public metricPushFailures(options: cloudwatch.MetricOptions = {}): cloudwatch.Metric {
    return this.reported('PushFailures', options);
  }

  /** Bytes of blobs that no record names, found and removed by the reconciler. Sum. */
  public metricOrphanBytes(options: cloudwatch.MetricOptions = {}): cloudwatch.Metric {
    return this.reported('OrphanBytes', options);
  }

  private reported(
    metricName: MetricName,
    options: cloudwatch.MetricOptions,
    of?: string,
  ): cloudwatch.Metric {
    const { dimension } = METRICS[metricName];
    const isReported =
      dimension === 'Route' ? this.metricsLevel === 'all' : this.metricsLevel !== undefined;
    if (!isReported) {
      throw new Error(
        `the functions of ${this.node.path} do not report ${metricName}: set metrics to ${dimension === 'Route' ? "'all'" : "'all' or 'essential'"}`,
      );
    }
    return new cloudwatch.Metric({
      namespace: this.metricsNamespace,
      metricName,
      dimensionsMap: dimension === undefined || of === undefined ? {} : { [dimension]: of },
      statistic: cloudwatch.Stats.SUM,
      ...options,
    }).attachTo(this);
  }
}
