/**
 * What the functions report, as data: meter.ts writes it, lib/ shows it and raises alarms on it.
 * docs/operations.md tells what each means. Nothing here, and no value of a dimension, comes from a
 * client: each combination is a metric that CloudWatch bills.
 */
import type { Measure } from '../../../core/system';

/** What is measured of a request, and what the domain counts. */
export type MetricName = 'Latency' | 'Errors' | 'Refusals' | Measure;

export interface MetricDefinition {
  readonly unit: 'Milliseconds' | 'Seconds' | 'Bytes' | 'Count';
  /** By what it is told apart: one of ROUTES, or a tier of the stack's settings. */
  readonly dimension?: 'Route' | 'Tier';
}

export const METRICS: Readonly<Record<MetricName, MetricDefinition>> = {
  Latency: { unit: 'Milliseconds', dimension: 'Route' },
  Errors: { unit: 'Count', dimension: 'Route' },
  Refusals: { unit: 'Count', dimension: 'Route' },
  Throttles: { unit: 'Count', dimension: 'Tier' },
  CommitRetries: { unit: 'Count' },
  Fences: { unit: 'Count' },
  FeedLag: { unit: 'Seconds' },
  PushFailures: { unit: 'Count' },
  OrphanBytes: { unit: 'Bytes' },
};

/**
 * `essential`: without those that are told apart by route, and so without a line for each request.
 */
export type MetricsLevel = 'all' | 'essential';
