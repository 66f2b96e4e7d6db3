/** Makes a failing simulation smaller: fewer faults, fewer operations, fewer events. */
import { type Report, type RunOptions, simulate } from './run';

export interface Minimised {
  readonly options: RunOptions;
  readonly report: Report;
}

/** How many simulations one search may take. */
const MOST_RUNS = 120;

/**
 * Returns options with which the same check still fails. Undefined: with these options none fails.
 * The order is that of what a reader has to follow: faults first.
 */
export async function minimise(options: RunOptions): Promise<Minimised | undefined> {
  let best: Minimised = { options, report: await simulate(options) };
  const failing = best.report.anomalies[0];
  if (!failing) return undefined;
  const attempt = async (changed: Partial<RunOptions>): Promise<boolean> => {
    const tried = { ...best.options, ...changed };
    const report = await simulate(tried);
    if (!report.anomalies.some(({ check }) => check === failing.check)) return false;
    best = { options: tried, report };
    return true;
  };
  await attempt({ events: Math.min(options.events, failing.event) });
  await fewer(best.report.fired, (kept) => attempt({ onlyFaults: new Set(kept) }));
  const all = best.report.performed;
  await fewer(all, (kept) => {
    const left = new Set(kept);
    return attempt({ skippedOperations: new Set(all.filter((one) => !left.has(one))) });
  });
  return best;
}

/**
 * Leaves out parts of the list, halves first, as long as `stillFails` (Zeller's delta debugging
 * without its complements).
 */
async function fewer(
  list: readonly string[],
  stillFails: (kept: readonly string[]) => Promise<boolean>,
): Promise<void> {
  let kept = list;
  let runs = 0;
  for (let size = Math.ceil(kept.length / 2); size >= 1 && runs < MOST_RUNS; ) {
    let hasShrunk = false;
    for (let from = 0; from < kept.length && runs < MOST_RUNS; ) {
      const tried = [...kept.slice(0, from), ...kept.slice(from + size)];
      runs += 1;
      if (await stillFails(tried)) {
        kept = tried;
        hasShrunk = true;
      } else {
        from += size;
      }
    }
    if (size === 1 && !hasShrunk) return;
    size = size === 1 ? 1 : Math.ceil(size / 2);
  }
}
