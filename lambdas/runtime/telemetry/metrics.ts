/**
 * The catalogue of the metrics that the functions report: emf-meter.ts writes them, lib/ shows them
 * and raises alarms on them. docs/operations.md explains each. No name and no value of a dimension
 * comes from a client: CloudWatch bills each combination as a metric.
 */
import type { Measure } from '../../../core/system';

/** The measures of a request, and the domain's. */
export type MetricName = 'Latency' | 'Errors' | 'Refusals' | 'CutResponses' | Measure;

export interface MetricDefinition {
  readonly unit: 'Milliseconds' | 'Seconds' | 'Bytes' | 'Count';
  /** Its values are those of ROUTES, or the tiers in the stack's settings. */
  readonly dimension?: 'Route' | 'Tier';
}

export const METRICS: Readonly<Record<MetricName, MetricDefinition>> = {
  Latency: { unit: 'Milliseconds', dimension: 'Route' },
  Errors: { unit: 'Count', dimension: 'Route' },
  Refusals: { unit: 'Count', dimension: 'Route' },
  CutResponses: { unit: 'Count' },
  Throttles: { unit: 'Count', dimension: 'Tier' },
  CommitRetries: { unit: 'Count' },
  GapFills: { unit: 'Count' },
  PublishLag: { unit: 'Seconds' },
  ConsumerLag: { unit: 'Seconds' },
  PushFailures: { unit: 'Count' },
  AbandonedTasks: { unit: 'Count' },
  OrphanBytes: { unit: 'Bytes' },
};

/** `essential`: without the metrics by route, and so without a log line for each request. */
export type MetricsLevel = 'all' | 'essential';
