/** Deletes several objects in one commit. */
import type { BucketRef } from '../bucket-ref';
import { unavailable } from '../errors';
import { type CommitDeps, commitChanges, type KeyIntent } from '../log/commit';
import type { IfCursorDeps } from '../log/if-cursor';
import type { ChangeLog } from '../log/ports';
import { tombstone } from '../objects/objects';
import type { DeletionCause, LiveObject } from '../store/objects';
import { liveOf } from '../store/objects';
import type { ChangeSize } from './groups';
import { Outdated } from './resolved-change';

export interface DeleteGroupDeps extends Omit<CommitDeps, 'changeLog'> {
  readonly changeLog: CommitDeps['changeLog'] & Pick<ChangeLog, 'read' | 'readShown'>;
  readonly buckets: IfCursorDeps['buckets'];
}

export interface Deletion {
  readonly bucket: BucketRef;
  /** The author of the deletion: `keyId` of the caller. */
  readonly by?: string;
  readonly cause?: DeletionCause;
  /**
   * Reports whether an object is to be deleted. Called again when the object has changed, so that
   * no newer object is deleted by mistake.
   */
  readonly applies: (object: LiveObject) => boolean;
}

/** Attempts while other writers change the objects. */
const MAX_ATTEMPTS = 20;

/** Returns the size of a deletion, for `commitGroups`. */
export function deletionSize({ key }: LiveObject): ChangeSize {
  return { view: Buffer.byteLength(JSON.stringify(key)), copy: 0 };
}

/**
 * Deletes the objects to which the deletion applies, and returns the cursors. Skips objects that
 * others have deleted. AWS calls: 1 UpdateItem, 1 TransactWriteItems; those of `commitChanges`
 * more, and 1 BatchGetItem, for a lost race.
 */
export async function deleteGroup(
  deps: DeleteGroupDeps,
  deletion: Deletion,
  group: readonly LiveObject[],
): Promise<readonly number[]> {
  const { bucket, applies } = deletion;
  let objects = group.filter(applies);
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    if (objects.length === 0) return [];
    try {
      const intents = objects.map(({ key }) => intentOf(deletion, key));
      const outcome = await commitChanges(deps, { bucket, intents }, objects);
      if (outcome.result !== 'committed') throw new Error(`a deletion was ${outcome.result}`);
      return outcome.changes.map(({ object }) => object.cursor);
    } catch (error) {
      if (!(error instanceof Outdated)) throw error;
      await deps.backoff(attempt);
      const keys = objects.map(({ key }) => key);
      const found = await deps.objects.getMany(bucket.id, keys);
      objects = found.flatMap((record) => liveOf(record) ?? []).filter(applies);
    }
  }
  throw unavailable();
}

function intentOf({ bucket, by, cause, applies }: Deletion, key: string): KeyIntent {
  return {
    key,
    check: (record) => {
      const live = liveOf(record);
      if (!live || !applies(live)) throw new Outdated(`${key} was changed by another writer`);
    },
    build: (position) => tombstone({ bucket, key, by, cause }, position),
  };
}
