import type { Notification } from '../../../core/targets/notifications';
import type { Anomalies } from '../records/anomalies';
import type { BucketHistory } from '../records/history';

/** What a target was sent of a bucket: repeated, but without a gap. */
export class Notified {
  /** Every change up to it was received. */
  cursor = 0;

  constructor(
    private readonly history: BucketHistory,
    private readonly anomalies: Anomalies,
  ) {}

  receive(notification: Notification): void {
    const { history, anomalies, cursor: known } = this;
    const { from, to } = notification;
    anomalies.require(
      'a target is notified without a gap',
      from <= known,
      () => `it knows changes up to ${known}, and was notified of those after ${from}`,
    );
    this.cursor = Math.max(known, to);
    if (notification.type === 'reset') return;
    const wanted: number[] = [];
    for (let cursor = from + 1; cursor <= to; cursor++) {
      const entry = history.entry(cursor);
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
