/** The lifecycle rules of a bucket while somebody edits them. Pure functions. */
import type { LifecycleRule } from '../../../client/buckets';
import { LIMITS } from '../api/limits';
import { countText, plural } from '../parts/format';

export interface RuleDraft {
  readonly id: number;
  readonly prefix: string;
  /** As typed. */
  readonly days: string;
}

export function draftsOf(rules: readonly LifecycleRule[]): RuleDraft[] {
  return rules.map(({ prefix = '', expire_after_days: days }, id) => ({
    id,
    prefix,
    days: String(days),
  }));
}

export function withNew(drafts: readonly RuleDraft[]): RuleDraft[] {
  const id = Math.max(-1, ...drafts.map((draft) => draft.id)) + 1;
  return [...drafts, { id, prefix: '', days: '' }];
}

export function daysError({ days }: RuleDraft): string | undefined {
  const isWhole = /^\d{1,5}$/.test(days.trim());
  if (isWhole && Number(days) >= 1 && Number(days) <= LIMITS.lifecycleDays) return undefined;
  return `A whole number from 1 to ${countText(LIMITS.lifecycleDays)}.`;
}

export function prefixError(draft: RuleDraft, drafts: readonly RuleDraft[]): string | undefined {
  if (new TextEncoder().encode(draft.prefix).length > LIMITS.keyBytes) {
    return `At most ${LIMITS.keyBytes} bytes.`;
  }
  const first = drafts.find(({ prefix }) => prefix === draft.prefix);
  return first !== draft ? 'Another rule has these keys already.' : undefined;
}

export function isComplete(drafts: readonly RuleDraft[]): boolean {
  return drafts.every((draft) => !daysError(draft) && !prefixError(draft, drafts));
}

export function rulesOf(drafts: readonly RuleDraft[]): LifecycleRule[] {
  return drafts.map(({ prefix, days }) => ({
    ...(prefix !== '' && { prefix }),
    expire_after_days: Number(days),
  }));
}

/** Returns one sentence for each rule that says what it does. */
export function sentencesOf(rules: readonly LifecycleRule[]): readonly string[] {
  return rules.map(({ prefix, expire_after_days: days }) => {
    const which = prefix ? `Objects whose keys begin with ${prefix}` : 'All objects';
    return `${which} are deleted ${plural(days, 'day')} after they were last written.`;
  });
}
