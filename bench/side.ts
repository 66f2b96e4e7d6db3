/** What one side of a measurement took. */
import { median, quantile } from './statistics';
import type { Timings } from './task';

export interface Side {
  readonly requests: number;
  /** Requests a second, without the pauses between the rounds. */
  readonly rate: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
}

export function sideOf(timings: readonly Timings[]): Side {
  const latencies = timings.flatMap((timing) => timing.latencies);
  const seconds = timings.reduce((sum, timing) => sum + timing.seconds, 0);
  return {
    requests: latencies.length,
    rate: latencies.length / seconds,
    p50: median(latencies),
    p99: quantile(latencies, 0.99),
  };
}
