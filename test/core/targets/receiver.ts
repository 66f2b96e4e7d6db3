import type { Notification } from '../../../core/targets/notifications';

/** Follows the rule of docs/api.md, "The client's rule", and nothing else. */
export class Receiver {
  /** By bucket id. */
  readonly buckets = new Map<string, { cursor: number; applied: number[]; lost: number[] }>();

  constructor(private readonly maxBatchSize: number) {}

  receive(notification: Notification): void {
    const { bucket_id, from, to } = notification;
    const bucket = this.buckets.get(bucket_id) ?? { cursor: 0, applied: [], lost: [] };
    this.buckets.set(bucket_id, bucket);
    expect(from).toBeLessThanOrEqual(bucket.cursor);
    expect(to).toBeGreaterThan(from);
    if (notification.type === 'changes') {
      for (const { cursor, commit } of notification.changes) {
        expect(cursor > from && cursor <= to).toBe(true);
        if (this.maxBatchSize > 1) expect(commit?.to ?? cursor).toBeLessThanOrEqual(to);
        if (cursor > bucket.cursor) bucket.applied.push(cursor);
      }
    } else {
      for (let cursor = bucket.cursor + 1; cursor <= to; cursor++) bucket.lost.push(cursor);
    }
    bucket.cursor = Math.max(bucket.cursor, to);
  }
}
