/** Permissions while they are being typed: what is missing yet, and what they mean. */
import { summarize } from '../../../core/access/permission-summary';
import type { Action, Permission } from '../api/admin';

export interface PermissionDraft {
  readonly id: number;
  /** Names and beginnings, as typed: between commas or spaces. */
  readonly buckets: string;
  readonly prefix: string;
  readonly actions: readonly Action[];
}

export interface DraftErrors {
  readonly buckets?: string;
  readonly prefix?: string;
  readonly actions?: string;
}

const PATTERN = /^(?=.{1,63}$)[a-z0-9-]*\*?$/;
const MOST = 50;
const PREFIX_BYTES = 900;

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

export function errorsOf({ buckets, prefix, actions }: PermissionDraft): DraftErrors {
  const names = namesOf(buckets);
  const wrong = names.find((name) => !PATTERN.test(name));
  return {
    ...(names.length === 0 && {
      buckets: 'Name at least one bucket, or write * for all of them.',
    }),
    ...(names.length > MOST && { buckets: `Name at most ${MOST} buckets.` }),
    ...(wrong !== undefined && {
      buckets: `“${wrong}” cannot be a bucket: names have a-z, 0-9 and -, and may end in * for all that begin so.`,
    }),
    ...(new TextEncoder().encode(prefix).length > PREFIX_BYTES && {
      prefix: `At most ${PREFIX_BYTES} bytes.`,
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

/** What a key of these permissions may do, in sentences; those still incomplete say nothing yet. */
export function sentencesOf(drafts: readonly PermissionDraft[]): readonly string[] {
  const complete = drafts.filter(isComplete).map(permissionOf);
  return summarize(complete).map((text) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`);
}
