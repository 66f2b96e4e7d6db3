import type { BucketRef } from '../../../../core/bucket-ref';
import { LIMITS } from '../../../../core/limits';
import { entryOf } from '../../../../core/log/entries';
import type { Change, Commit, CommitOutcome, Commits } from '../../../../core/log/ports';
import { isOpen } from '../objects/fake-uploads';
import { copy, epochSeconds, type FakeState } from '../state';

/** The Commits port in memory: all conditions are checked and all writes made in one step. */
export class FakeCommits implements Commits {
  constructor(private readonly state: FakeState) {}

  async allocate(
    { name, id }: BucketRef,
    count = 1,
    ifCursor?: number,
  ): Promise<number | undefined> {
    const record = this.state.buckets.get(name);
    if (record?.id !== id || record.closingAt !== undefined) return undefined;
    if (ifCursor !== undefined && record.cursor !== ifCursor) return undefined;
    this.state.buckets.set(name, { ...record, cursor: record.cursor + count });
    return record.cursor + 1;
  }

  async commit(commit: Commit): Promise<CommitOutcome> {
    const wire = JSON.stringify(commit);
    const earlier = this.state.tokens.get(commit.token);
    if (earlier === wire) return { result: 'committed' };
    if (earlier !== undefined) throw new Error(`token ${commit.token} was used by another commit`);

    const refusal = this.judge(commit);
    if (refusal !== undefined) return refusal;
    for (const change of commit.changes) this.write(commit, change);
    this.state.saveIdempotencyRecord(commit.idempotency);
    this.state.tokens.set(commit.token, wire);
    return { result: 'committed' };
  }

  private judge({ bucketId, changes, at, idempotency }: Commit): CommitOutcome | undefined {
    const entries = this.state.changesOf(bucketId);
    const objects = this.state.objectsOf(bucketId);
    const keys = new Set(changes.map(({ object }) => object.key));
    if (keys.size < changes.length) throw new Error('a transaction writes an item only once');
    const taken = changes
      .map(({ object }) => copy(entries.get(object.cursor)))
      .find((entry) => entry !== undefined);
    const changed = changes.some(({ object, previous }) => {
      const current = objects.get(object.key);
      return (
        current?.cursor !== previous?.cursor ||
        (current !== undefined && current.cursor >= object.cursor)
      );
    });
    const settled = changes.some(
      ({ uploadId }) => uploadId !== undefined && !isOpen(this.state.uploads.get(uploadId)),
    );
    const isDuplicate = this.state.isReplayed(idempotency, epochSeconds(at));
    if (taken === undefined && !changed && !settled && !isDuplicate) {
      return undefined;
    }
    return { result: 'refused', ...(taken && { taken }), changed, settled, isDuplicate };
  }

  private write(commit: Commit, change: Change): void {
    const { bucketId } = commit;
    const { object, uploadId } = change;
    this.state.changesOf(bucketId).set(object.cursor, copy(entryOf(commit, change)));
    this.state.objectsOf(bucketId).set(object.key, copy(object));
    const upload = uploadId === undefined ? undefined : this.state.uploads.get(uploadId);
    if (upload !== undefined) {
      const { version, cursor } = object;
      const ttl = epochSeconds(commit.at) + LIMITS.uploadRowSeconds;
      const settled = { state: 'committed', committed: { version, cursor }, ttl } as const;
      this.state.uploads.set(upload.id, { ...upload, ...settled });
    }
  }
}
