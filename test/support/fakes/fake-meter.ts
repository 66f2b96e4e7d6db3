import type { InvocationMeter } from '../../../lambdas/runtime/telemetry/emf-meter';
import type { MetricName } from '../../../lambdas/runtime/telemetry/metrics';

/** Keeps what was counted, so that a test can look at it. */
export class FakeMeter implements InvocationMeter {
  readonly counted: { metric: MetricName; amount: number; of?: string }[] = [];

  add(metric: MetricName, amount: number, of?: string): void {
    this.counted.push({ metric, amount, ...(of !== undefined && { of }) });
  }

  /** What was counted is kept. */
  report(): boolean {
    return false;
  }

  sum(metric: MetricName): number {
    return this.amounts(metric).reduce((total, amount) => total + amount, 0);
  }

  amounts(metric: MetricName): number[] {
    return this.counted.filter((one) => one.metric === metric).map(({ amount }) => amount);
  }
}
