/**
 * Writes metrics as log lines in the Embedded Metric Format, from which CloudWatch Logs extracts
 * them: no AWS call. metrics.ts is the catalogue of the metrics.
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
 */
import type { Meter } from '../../../core/system';
import { ENV, optionalEnv } from '../env';
import { METRICS, type MetricName, type MetricsLevel } from './metrics';
import { writeLine } from './write-line';

/** The meter of one invocation: an instance serves one at a time. */
export interface InvocationMeter extends Meter {
  add(metric: MetricName, amount: number, of?: string): void;
  /**
   * Writes the amounts that were added since the last call as one line, and returns whether there
   * were any. The line holds `about` too, for searches in the log.
   */
  report(about?: Readonly<Record<string, unknown>>): boolean;
}

interface Sum {
  amount: number;
  of?: string;
}

export interface MeterOptions {
  readonly namespace: string;
  readonly level: MetricsLevel;
  readonly write?: (line: string) => void;
}

export class EmfMeter implements InvocationMeter {
  private readonly sums = new Map<MetricName, Sum>();

  constructor(private readonly options: MeterOptions) {}

  add(metric: MetricName, amount: number, of?: string): void {
    if (METRICS[metric].dimension === 'Route' && this.options.level !== 'all') return;
    const sum = this.sums.get(metric);
    this.sums.set(metric, { amount: (sum?.amount ?? 0) + amount, of });
  }

  report(about: Readonly<Record<string, unknown>> = {}): boolean {
    if (this.sums.size === 0) return false;
    const values: Record<string, unknown> = {};
    const byDimension = new Map<string | undefined, { Name: string; Unit: string }[]>();
    for (const [Name, { amount, of }] of this.sums) {
      const { unit: Unit, dimension } = METRICS[Name];
      values[Name] = amount;
      if (dimension !== undefined) values[dimension] = of;
      byDimension.set(dimension, [...(byDimension.get(dimension) ?? []), { Name, Unit }]);
    }
    this.sums.clear();
    const CloudWatchMetrics = [...byDimension].map(([dimension, Metrics]) => ({
      Namespace: this.options.namespace,
      Dimensions: [dimension === undefined ? [] : [dimension]],
      Metrics,
    }));
    const now = new Date();
    const head = { timestamp: now.toISOString(), level: 'info', event: 'metrics' };
    const _aws = { Timestamp: now.getTime(), CloudWatchMetrics };
    (this.options.write ?? writeLine)(JSON.stringify({ ...head, ...about, ...values, _aws }));
    return true;
  }
}

const SILENT: InvocationMeter = { add: () => undefined, report: () => false };

/**
 * The meter that the environment configures; without a namespace it reports nothing. Throws at cold
 * start when the level is unknown.
 */
export function createMeter(
  namespace = optionalEnv(ENV.metricsNamespace),
  level = optionalEnv(ENV.metrics),
): InvocationMeter {
  if (namespace === undefined) return SILENT;
  if (level !== 'all' && level !== 'essential') {
    throw new Error(`METRICS must be all or essential, got ${level}`);
  }
  return new EmfMeter({ namespace, level });
}

/** The handler, followed by a report of what it counted, also when it throws. */
export function reporting<Args extends unknown[], Result>(
  meter: InvocationMeter,
  handler: (...args: Args) => Promise<Result>,
): (...args: Args) => Promise<Result> {
  return async (...args) => {
    try {
      return await handler(...args);
    } finally {
      meter.report();
    }
  };
}
