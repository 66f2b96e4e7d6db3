/** Permissions while the user edits them: what is missing, and what they permit. */
import { summarize } from '../../../core/access/permission-summary';
import type { Action, Permission } from '../api/admin';
import { LIMITS } from '../api/limits';

export interface PermissionDraft {
  readonly id: number;
  /** Names and patterns, as typed: separated by commas or spaces. */
  readonly buckets: string;
  readonly prefix: string;
  readonly actions: readonly Action[];
  /** Whether a prefix is required. */
  readonly isFolder?: boolean;
}

export interface DraftErrors {
  readonly buckets?: string;
  readonly prefix?: string;
  readonly actions?: string;
}

export function emptyDraft(id: number): PermissionDraft {
  return { id, buckets: '', prefix: '', actions: ['read', 'list'] };
}

export function draftsOf(permissions: readonly Permission[]): PermissionDraft[] {
  return permissions.map(({ buckets, prefix = '', actions }, id) => ({
    id,
    buckets: buckets.join(', '),
    prefix,
    actions,
  }));
}

export function namesOf(buckets: string): string[] {
  return [...new Set(buckets.split(/[\s,]+/).filter((name) => name !== ''))];
}

/**
 * Returns completions of the last name of a list: the completed list, and the added bucket.
 */
export function completionsOf(
  buckets: string,
  known: readonly string[],
): readonly { readonly text: string; readonly name: string }[] {
  const [last = ''] = /(?<![^\s,])[^\s,]*$/.exec(buckets) ?? [];
  const before = buckets.slice(0, buckets.length - last.length);
  const named = namesOf(before);
  const all = named.length === 0 ? ['*'] : [];
  return [...all, ...known]
    .filter((name) => name.startsWith(last) && !named.includes(name) && name !== last)
    .map((name) => ({ text: `${before}${name}`, name }));
}

export function errorsOf({ buckets, prefix, actions, isFolder }: PermissionDraft): DraftErrors {
  const names = namesOf(buckets);
  const wrong = names.find((name) => !LIMITS.bucketPattern.test(name));
  return {
    ...(names.length === 0 && {
      buckets: 'Name at least one bucket, or write * for all of them.',
    }),
    ...(names.length > LIMITS.permissionEntries && {
      buckets: `Name at most ${LIMITS.permissionEntries} buckets.`,
    }),
    ...(wrong !== undefined && {
      buckets:
        `“${wrong}” is not a bucket name. Use a-z, 0-9 and -. ` +
        'A * at the end stands for all names with this beginning.',
    }),
    ...(isFolder && prefix === '' && { prefix: 'Name the folder, such as 2026/.' }),
    ...(new TextEncoder().encode(prefix).length > LIMITS.keyBytes && {
      prefix: `At most ${LIMITS.keyBytes} bytes.`,
    }),
    ...(actions.length === 0 && { actions: 'Choose at least one.' }),
  };
}

export function isComplete(draft: PermissionDraft): boolean {
  return Object.keys(errorsOf(draft)).length === 0;
}

export function permissionOf({ buckets, prefix, actions }: PermissionDraft): Permission {
  return { buckets: namesOf(buckets), ...(prefix !== '' && { prefix }), actions: [...actions] };
}

/** Returns sentences that say what the permissions allow. Incomplete permissions are left out. */
export function sentencesOf(drafts: readonly PermissionDraft[]): readonly string[] {
  const complete = drafts.filter(isComplete).map(permissionOf);
  return summarize(complete).map((text) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`);
}
