/** Many changes, in as few commits as their limits allow. */
import { LIMITS } from '../limits';

/** Of one change. */
export interface ChangeSize {
  /** Of what a message says of the object, as JSON. */
  readonly view: number;
  /** Bytes that the change copies. */
  readonly copy: number;
}

/** Of a change in a message, besides what it says of the object, and for longer numbers. */
const FRAME_BYTES = 400;

/** The items in their order, as many in each group as one commit may change. */
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
 * Called before each commit with the number of its changes. Returns how many of them may be made:
 * if they are fewer, the call ends with these.
 */
export type BeforeCommit = (changes: number) => Promise<number>;
