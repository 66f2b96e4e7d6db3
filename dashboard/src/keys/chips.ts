/** A permission in a few words, for rows and chips. */

import { ACTIONS } from '../api/actions';
import type { Permission } from '../api/admin';

export interface Chips {
  readonly actions: readonly string[];
  /** The buckets, and the prefix below them. */
  readonly where: string;
}

export function chipsOf({ actions, buckets, prefix }: Permission): Chips {
  const has = ACTIONS.filter((action) => actions.includes(action));
  const names = buckets.includes('*') ? 'all buckets' : buckets.join(', ');
  return {
    actions:
      has.length === ACTIONS.length ? ['everything'] : has.map((name) => name.replace('_', ' ')),
    where: prefix ? `${names}, below ${prefix}` : names,
  };
}
