/** What a check has found. A simulation without anomalies has found nothing wrong. */
export interface Anomaly {
  /** The promise that was broken. */
  readonly check: string;
  readonly what: string;
  /** Events before it. */
  readonly event: number;
}

/** More of one simulation say nothing new. */
const MOST = 20;

export class Anomalies {
  readonly found: Anomaly[] = [];
  /** How often each check was made: one that is never made proves nothing. */
  readonly made: Record<string, number> = {};

  constructor(private readonly events: () => number) {}

  report(check: string, what: string): void {
    this.require(check, false, () => what);
  }

  /** Makes the check. `what` says what is wrong. */
  require(check: string, holds: boolean, what: () => string): void {
    this.made[check] = (this.made[check] ?? 0) + 1;
    if (!holds && this.found.length < MOST) {
      this.found.push({ check, what: what(), event: this.events() });
    }
  }
}
