/**
 * Describes permissions in plain words for the creator of a key. The dashboard uses this file too,
 * so it imports only types.
 */
import type { Action, Permission } from './ports';

const ON_OBJECTS: readonly Action[] = ['read', 'write', 'delete', 'list'];

/**
 * Returns sentences without a subject, such as "may read and list objects in bucket photos, below
 * 2026/".
 */
export function summarize(permissions: readonly Permission[]): string[] {
  return permissions.flatMap(sentencesOf);
}

function sentencesOf(permission: Permission): string[] {
  const { actions, prefix } = permission;
  const has = (action: Action) => actions.includes(action);
  const where = `in ${bucketsOf(permission)}${prefix ? `, below ${prefix}` : ''}`;
  const onObjects = ON_OBJECTS.filter(has);
  const onBuckets = (['create', 'delete'] as const).filter((verb) => has(`${verb}_bucket`));
  return [
    ...(onObjects.length > 0 ? [`may ${and(onObjects)} objects ${where}`] : []),
    ...(has('sync') ? [`may follow changes ${where}`] : []),
    ...(has('sign') ? [`may make signed URLs for what it may do ${where}`] : []),
    ...(onBuckets.length > 0 ? [onWholeBuckets(and(onBuckets), permission)] : []),
  ];
}

/** A permission for a prefix does not permit actions on whole buckets: see mayOnBucket. */
function onWholeBuckets(verbs: string, permission: Permission): string {
  const may = permission.prefix ? 'may not' : 'may';
  const because = permission.prefix ? ', because it is narrowed to a prefix' : '';
  return `${may} ${verbs} ${bucketsOf(permission)}${because}`;
}

function bucketsOf({ buckets }: Permission): string {
  if (buckets.includes('*')) return 'all buckets';
  const names = buckets.filter((pattern) => !pattern.endsWith('*'));
  const beginnings = buckets.flatMap((p) => (p.endsWith('*') ? [p.slice(0, -1)] : []));
  return [
    ...(names.length > 0 ? [`${names.length === 1 ? 'bucket' : 'buckets'} ${and(names)}`] : []),
    ...(beginnings.length > 0 ? [`buckets whose names begin with ${or(beginnings)}`] : []),
  ].join(' and ');
}

const and = (words: readonly string[]) => joined(words, 'and');
const or = (words: readonly string[]) => joined(words, 'or');

function joined(words: readonly string[], conjunction: string): string {
  if (words.length < 2) return words.join('');
  return `${words.slice(0, -1).join(', ')} ${conjunction} ${words.at(-1)}`;
}
