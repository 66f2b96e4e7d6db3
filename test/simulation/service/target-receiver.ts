/** A target of `onChange` as its owner has it: it may refuse, and may accept and not say so. */
import type { Notification } from '../../../core/targets/notifications';
import type { Target } from '../../../core/targets/ports';
import type { SeededRandom } from '../machine/random';
import type { Ports } from './environment';
import type { Simulation } from './simulation';

export class TargetReceiver {
  /** Bucket id -> every change up to it was received. */
  private readonly cursors = new Map<string, number>();
  private readonly random: SeededRandom;

  constructor(private readonly simulation: Simulation) {
    this.random = simulation.random('target');
  }

  cursorOf(bucketId: string): number {
    return this.cursors.get(bucketId) ?? 0;
  }

  /** The target, as one environment of function targets reaches it. */
  reachedFrom({ clock }: Ports): Target {
    return {
      ...{ id: 'target', buckets: ['*'], startFrom: 'oldest', maxBatchSize: 10, timeoutMs: 5_000 },
      send: async (notifications) => {
        const kinds = ['target failed', 'target response lost'] as const;
        const fault = this.simulation.faults.draw(kinds, this.random);
        await clock.sleep(this.random.between(5, 200));
        if (fault === 'target failed') throw new Error('the target has failed');
        for (const one of notifications) this.receive(one);
        if (fault === 'target response lost') throw new Error('the response was lost');
        return notifications.length;
      },
    };
  }

  private receive(notification: Notification): void {
    const { anomalies, history } = this.simulation;
    const { bucket_id: id, from, to } = notification;
    const known = this.cursorOf(id);
    anomalies.require(
      'a target is notified without a gap',
      from <= known,
      () => `it knows changes up to ${known}, and was notified of those after ${from}`,
    );
    this.cursors.set(id, Math.max(known, to));
    if (notification.type === 'reset') return;
    const wanted: number[] = [];
    for (let cursor = from + 1; cursor <= to; cursor++) {
      const entry = history.of(id).entry(cursor);
      if (entry && entry.type !== 'noop') wanted.push(cursor);
    }
    const found = notification.changes.map(({ cursor }) => cursor);
    anomalies.require(
      'a target is notified of every change',
      wanted.join() === found.join(),
      () => `of (${from}, ${to}] it got ${found.join()} in place of ${wanted.join()}`,
    );
  }
}
