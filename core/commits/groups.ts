/** Divides many changes into as few commits as the limits of a commit allow. */
import { LIMITS } from '../limits';

/** Sizes of one change. */
export interface ChangeSize {
  /** Bytes of the object's view in a message, as JSON. */
  readonly view: number;
  /** Bytes that the change copies. */
  readonly copy: number;
}

/** Bytes a change adds around its object, with room for longer numbers. */
const FRAME_BYTES = 400;

/** Divides the items, in their order, into groups that each fit into one commit. */
export function commitGroups<T>(
  items: readonly T[],
  sizeOf: (item: T) => ChangeSize,
): readonly (readonly T[])[] {
  const groups: T[][] = [];
  let [views, copies] = [0, 0];
  for (const item of items) {
    const { view, copy } = sizeOf(item);
    const own = FRAME_BYTES + view;
    const group = groups.at(-1);
    const fits = views + own <= LIMITS.commitBytes && copies + copy <= LIMITS.copyBytes;
    if (!group || group.length === LIMITS.commitChanges || !fits) {
      groups.push([item]);
      [views, copies] = [own, copy];
    } else {
      group.push(item);
      [views, copies] = [views + own, copies + copy];
    }
  }
  return groups;
}

/**
 * Called before each commit with the number of its changes. Returns the number of changes that are
 * allowed; if it is smaller, the call ends after these.
 */
export type BeforeCommit = (changes: number) => Promise<number>;
