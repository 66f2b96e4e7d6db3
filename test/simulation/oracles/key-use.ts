/** What a key promises: it does what it permits, and a change applies to every request soon. */

import type { StowageError } from '../../../client';
import type { Action, Permission } from '../../../core/access/ports';
import { LEASE_MS } from '../../../core/access/token-bucket';
import type { Simulation } from '../service/simulation';

const PERMITS = 'a key may do what it permits, and nothing else';
const SECRET = 'a secret that was replaced or revoked is refused';
const MARKED = 'a change of a key is marked';
const CHANNELS = 'the channels of a revoked key end';

/** Clocks of functions differ by so much. */
const SKEW_MS = 150;

/** Far longer than any outage, and than Lambda repeats a batch of a stream. */
const LONGEST_MARK_MS = 15 * 60_000;

/** The stream of the keys may be late several times, and its function fail. */
const LONGEST_CLOSE_MS = 100_000;

/** Absent: the key is about to change, or the change may not be known everywhere yet. */
export type Expected = 'permitted' | 'forbidden' | undefined;

export class KeyUse {
  private isChanging = false;

  constructor(
    private readonly simulation: Simulation,
    private readonly id: string,
    private permissions: readonly Permission[],
  ) {}

  has(permissions: readonly Permission[]): boolean {
    return this.permissions === permissions;
  }

  expected(action: Action, bucket: string, key: string): Expected {
    if (this.isChanging) return undefined;
    const allows = ({ buckets, prefix = '', actions }: Permission) =>
      actions.includes(action) &&
      key.startsWith(prefix) &&
      buckets.some((one) => one === '*' || one === bucket);
    return this.permissions.some(allows) ? 'permitted' : 'forbidden';
  }

  permitted(expected: Expected): void {
    this.require(PERMITS, expected !== 'forbidden', 'permitted what it must not');
  }

  refused(expected: Expected, code: StowageError['code']): void {
    const isKeys = code === 'forbidden' || code === 'unauthorized';
    const isRight = expected === 'forbidden' ? code === 'forbidden' : !isKeys;
    this.require(PERMITS, expected === undefined || isRight, `${code} where it is ${expected}`);
  }

  changing(): void {
    this.isChanging = true;
  }

  /** The change was acknowledged. Resolves when it must apply to every request. */
  async changed(permissions = this.permissions): Promise<void> {
    const { state, keySavedAt } = this.simulation;
    const savedAt = keySavedAt.get(this.id) ?? 0;
    const isMarked = () => (state.rates.get(this.id)?.changedAt ?? 0) >= savedAt - SKEW_MS;
    const isDone = await this.until(isMarked, LONGEST_MARK_MS);
    this.require(MARKED, isDone, `changed at ${savedAt}, and not marked`);
    await this.pause(LEASE_MS + SKEW_MS);
    this.permissions = permissions;
    this.isChanging = false;
  }

  /** The response to a request with a secret that no longer works. */
  endedSecret(code: StowageError['code'] | 'permitted'): void {
    this.require(SECRET, code === 'unauthorized', code);
  }

  /** After the key was revoked: resolves when the gateway has none of its channels left. */
  async endedChannels(): Promise<void> {
    const { state } = this.simulation;
    const open = () =>
      [...state.connections.values()].filter(
        ({ connection: { id, keyId } }) => keyId === this.id && state.channels.has(id),
      );
    const isDone = await this.until(() => open().length === 0, LONGEST_CLOSE_MS);
    this.require(CHANNELS, isDone, `${open().length} channels are open`);
  }

  /** Whether that holds before the time is over. */
  private async until(holds: () => boolean, milliseconds: number): Promise<boolean> {
    const { time } = this.simulation;
    const deadline = time.now + milliseconds;
    while (!holds() && time.now < deadline) await this.pause(250);
    return holds();
  }

  private pause(milliseconds: number): Promise<void> {
    return new Promise((resolve) => this.simulation.time.after(milliseconds, resolve));
  }

  private require(check: string, holds: boolean, what: string): void {
    this.simulation.anomalies.require(check, holds, () => `key ${this.id}: ${what}`);
  }
}
