/** What a simulation of load has shown, in words. */
import { median, quantile } from '../../../bench/statistics';
import type { LoadOptions, LoadReport } from './load';

export interface Figures {
  /** Writes that were acknowledged during the load, for each of its seconds. */
  readonly achieved: number;
  /** Status -> requests that were refused with it. */
  readonly refusals: Readonly<Record<string, number>>;
  readonly p50: number;
  readonly p99: number;
}

export function figuresOf({ outcomes, from }: LoadReport, { seconds }: LoadOptions): Figures {
  const end = from + seconds * 1000;
  const refusals: Record<string, number> = {};
  for (const { status, cursors } of outcomes) {
    if (cursors.length === 0) refusals[status] = (refusals[status] ?? 0) + 1;
  }
  const acknowledged = outcomes.filter(({ cursors }) => cursors.length > 0);
  const times = acknowledged.map(({ milliseconds }) => milliseconds);
  const [p50, p99] = [median(times), quantile(times, 0.99)];
  const inTime = acknowledged.filter(({ at, milliseconds }) => at + milliseconds <= end);
  return { achieved: inTime.length / seconds, refusals, p50, p99 };
}

/** One line for each limit that has refused something, and a line of figures. */
export function linesOf(report: LoadReport, options: LoadOptions): string[] {
  const { bounds, from, lags, recovery, anomalies } = report;
  const { achieved, refusals, p50, p99 } = figuresOf(report, options);
  const limits = bounds.map(
    ({ limit, firstAt, refusals: count }) =>
      `${limit}: ${count} refusals, the first after ${((firstAt - from) / 1000).toFixed(1)} s`,
  );
  const refused = Object.entries(refusals).map(([status, count]) => `${count} of ${status}`);
  const parts = [
    `${options.rate} writes a second offered`,
    `${achieved.toFixed(0)} achieved`,
    `refused: ${refused.join(', ') || 'none'}`,
    `p50 ${p50} ms, p99 ${p99} ms`,
    `${report.retries} commits repeated`,
    `${report.unused} cursors unused`,
    `${report.mostRunning} functions at once`,
    ...(lags.length > 0
      ? [
          `lag of ${options.followers} followers p50 ${median(lags)} ms, p99 ${quantile(lags, 0.99)} ms`,
        ]
      : []),
    recovery === undefined ? 'not recovered' : `recovered after ${(recovery / 1000).toFixed(1)} s`,
    `first bound: ${bounds[0]?.limit ?? 'none'}`,
    `${report.events} events`,
    `${anomalies.length} anomalies`,
  ];
  const found = anomalies.map(({ check, what }) => `${check}: ${what}`);
  return [...limits, ...found, parts.join('; ')];
}
