import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import type { IConstruct } from 'constructs';
import { DEFAULT_TIER } from '../../core/limits';
import {
  METRICS,
  type MetricName,
  type MetricsLevel,
} from '../../lambdas/runtime/telemetry/metrics';
import type { Route } from '../../service/routes/routes';
import type { RestApi } from '../gateway/rest-api';
import type { MetricsReporting } from './options';

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

/** The metrics without a dimension. */
type TotalMetric = Exclude<MetricName, 'Latency' | 'Errors' | 'Refusals' | 'Throttles'>;

export interface ServiceMetricsProps extends MetricsReporting {
  /** The names of the rate tiers. */
  readonly tiers: readonly string[];
  readonly api: RestApi;
}

/**
 * The metrics of a service: docs/operations.md, "Metrics". A method throws an Error for a metric
 * that the functions do not report at the service's level.
 */
export class ServiceMetrics {
  /** Namespace of the metrics that the functions report. */
  public readonly namespace: string;
  /** Undefined when the functions report nothing. */
  public readonly level: MetricsLevel | undefined;
  /** The names of the rate tiers. */
  public readonly tiers: readonly string[];
  private readonly api: RestApi;

  /** @internal */
  constructor(
    private readonly service: IConstruct,
    props: ServiceMetricsProps,
  ) {
    this.namespace = props.namespace;
    this.level = props.level;
    this.tiers = props.tiers;
    this.api = props.api;
  }

  /** Requests. Sum. */
  public requests({ route, ...options }: RouteMetricOptions = {}): cloudwatch.Metric {
    if (route === undefined) return this.api.restApi.deploymentStage.metricCount(options);
    // Each request has one latency.
    const statistic = cloudwatch.Stats.SAMPLE_COUNT;
    return this.reported('Latency', { statistic, label: 'requests', ...options }, route);
  }

  /** Responses of status 500 and above. Sum. */
  public errors({ route, ...options }: RouteMetricOptions = {}): cloudwatch.Metric {
    if (route === undefined) return this.api.restApi.deploymentStage.metricServerError(options);
    return this.reported('Errors', options, route);
  }

  /** Responses of status 400 to 499. Sum. */
  public refusals({ route, ...options }: RouteMetricOptions = {}): cloudwatch.Metric {
    if (route === undefined) return this.api.restApi.deploymentStage.metricClientError(options);
    return this.reported('Refusals', options, route);
  }

  /**
   * Milliseconds until the response is complete; with a route, until it begins, without the time in
   * the gateway. p99.
   */
  public latency({ route, ...options }: RouteMetricOptions = {}): cloudwatch.Metric {
    const p99 = { statistic: 'p99', ...options };
    if (route === undefined) return this.api.restApi.deploymentStage.metricLatency(p99);
    return this.reported('Latency', p99, route);
  }

  /** Requests refused because their key exceeded its rate, by tier. Sum. */
  public throttles({ tier = DEFAULT_TIER, ...options }: TierMetricOptions = {}): cloudwatch.Metric {
    if (!this.tiers.includes(tier)) {
      throw new Error(
        `metricThrottles: there is no tier '${tier}': use one of ${this.tiers.join(', ')}`,
      );
    }
    return this.reported('Throttles', options, tier);
  }

  /** The metric of that name, which has no dimension. Sum; of a lag the maximum. */
  public total(name: TotalMetric, options: cloudwatch.MetricOptions = {}): cloudwatch.Metric {
    const { MAXIMUM, SUM } = cloudwatch.Stats;
    const statistic = name === 'PublishLag' || name === 'ConsumerLag' ? MAXIMUM : SUM;
    return this.reported(name, { statistic, ...options });
  }

  private reported(
    metricName: MetricName,
    options: cloudwatch.MetricOptions,
    value?: string,
  ): cloudwatch.Metric {
    const { dimension } = METRICS[metricName];
    const isReported = dimension === 'Route' ? this.level === 'all' : this.level !== undefined;
    if (!isReported) {
      throw new Error(
        `the functions of ${this.service.node.path} do not report ${metricName}: set metrics to ${dimension === 'Route' ? "'all'" : "'all' or 'essential'"}`,
      );
    }
    return new cloudwatch.Metric({
      namespace: this.namespace,
      metricName,
      dimensionsMap: dimension === undefined || value === undefined ? {} : { [dimension]: value },
      statistic: cloudwatch.Stats.SUM,
      ...options,
    }).attachTo(this.service);
  }
}
