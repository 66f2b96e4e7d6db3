/** A target of `onChange` as its owner has it: it may refuse, and may accept and not say so. */
import type { Notification } from '../../../core/targets/notifications';
import type { Target } from '../../../core/targets/ports';
import type { SeededRandom } from '../machine/random';
import type { Ports } from './environment';
import { Notified } from './notified';
import type { Simulation } from './simulation';

export class TargetReceiver {
  /** By bucket id. */
  private readonly notified = new Map<string, Notified>();
  private readonly random: SeededRandom;

  constructor(private readonly simulation: Simulation) {
    this.random = simulation.random('target');
  }

  cursorOf(bucketId: string): number {
    return this.notified.get(bucketId)?.cursor ?? 0;
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
    const { bucket_id: id } = notification;
    const { anomalies, history } = this.simulation;
    const notified = this.notified.get(id) ?? new Notified(history.of(id), anomalies);
    this.notified.set(id, notified);
    notified.receive(notification);
  }
}
