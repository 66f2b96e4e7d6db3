import type { BucketRef } from '../../../../core/bucket-ref';
import type { Change, ChangeEntry, CommitOutcome, Commits } from '../../../../core/log/ports';
import { copy, epochSeconds, type FakeState } from '../state';

/** The Commits port in memory: all conditions are checked and all writes made in one step. */
export class FakeCommits implements Commits {
  constructor(private readonly state: FakeState) {}

  async allocate({ name, id }: BucketRef): Promise<number | undefined> {
    const record = this.state.buckets.get(name);
    if (record?.id !== id || record.closingAt !== undefined) return undefined;
    const cursor = record.cursor + 1;
    this.state.buckets.set(name, { ...record, cursor });
    return cursor;
  }

  async commit(change: Change): Promise<CommitOutcome> {
    const wire = JSON.stringify(change);
    const earlier = this.state.tokens.get(change.token);
    if (earlier === wire) return { result: 'committed' };
    if (earlier !== undefined) throw new Error(`token ${change.token} was used by another change`);

    const refusal = this.judge(change);
    if (refusal !== undefined) return refusal;
    this.write(change);
    this.state.tokens.set(change.token, wire);
    return { result: 'committed' };
  }

  private judge(change: Change): CommitOutcome | undefined {
    const { bucketId, object, at, previous, uploadId, idempotency } = change;
    const entries = this.state.changesOf(bucketId);
    const current = this.state.objectsOf(bucketId).get(object.key);
    const taken = copy(entries.get(object.cursor));
    const changed =
      current?.cursor !== previous?.cursor ||
      (current !== undefined && current.cursor >= object.cursor);
    const settled = uploadId !== undefined && this.state.uploads.get(uploadId)?.state !== 'pending';
    const isDuplicate = this.state.isReplayed(idempotency, epochSeconds(at));
    if (taken === undefined && !changed && !settled && !isDuplicate) {
      return undefined;
    }
    return { result: 'refused', ...(taken && { taken }), changed, settled, isDuplicate };
  }

  private write(change: Change): void {
    const { bucketId, object, at, previous, uploadId } = change;
    const { bucket, cursor } = object;
    const entries = this.state.changesOf(bucketId);
    const entry: ChangeEntry = {
      type: object.state === 'live' ? 'put' : 'delete',
      bucket,
      cursor,
      at,
      object,
      ...(previous && { previous }),
    };
    entries.set(cursor, copy(entry));
    this.state.objectsOf(bucketId).set(object.key, copy(object));
    const upload = uploadId === undefined ? undefined : this.state.uploads.get(uploadId);
    if (upload !== undefined) this.state.uploads.set(upload.id, { ...upload, state: 'committed' });
    this.state.saveIdempotencyRecord(change.idempotency);
  }
}
