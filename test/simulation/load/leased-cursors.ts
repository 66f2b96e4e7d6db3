/**
 * An experiment of docs/scale.md, and no part of the service: each environment takes cursors from
 * the counter in blocks, and hands them out to its commits.
 */
import type { Ports } from '../service/environment';
import type { Wrap } from '../service/simulation';

export function leasedCursors(size: number): Wrap {
  return (ports) => {
    let next = 0;
    let end = 0;
    const allocate: Ports['commits']['allocate'] = async (bucket, count = 1, ifCursor) => {
      if (ifCursor !== undefined || count > size) {
        return ports.commits.allocate(bucket, count, ifCursor);
      }
      if (next + count > end) {
        const first = await ports.commits.allocate(bucket, size);
        if (first === undefined) return undefined;
        next = first;
        end = first + size;
      }
      next += count;
      return next - count;
    };
    const commits: Ports['commits'] = { allocate, commit: (one) => ports.commits.commit(one) };
    return { ...ports, commits };
  };
}
