/** The entries of a folder: the keys that share a beginning up to a slash. */
import type { DeletedObject, ListPage, ObjectDescriptor } from '../../../client/resources';

export interface FolderEntry {
  readonly kind: 'folder';
  readonly id: string;
  readonly name: string;
  readonly prefix: string;
}

export interface ObjectEntry {
  readonly kind: 'object';
  readonly id: string;
  readonly name: string;
  readonly object: ObjectDescriptor;
}

/** An object that was deleted. */
export interface DeletedEntry {
  readonly kind: 'deleted';
  readonly id: string;
  readonly name: string;
  readonly deleted: DeletedObject;
}

export type Entry = FolderEntry | ObjectEntry | DeletedEntry;

/** Returns the folder of a prefix: the prefix up to its last slash. */
export function folderOf(prefix: string): string {
  return prefix.slice(0, prefix.lastIndexOf('/') + 1);
}

/** Returns the folder that contains an object or a folder. */
export function parentOf(name: string): string {
  return folderOf(name.replace(/\/$/, ''));
}

export function objectsOf(entries: readonly Entry[]): readonly ObjectDescriptor[] {
  return entries.flatMap((entry) => (entry.kind === 'object' ? [entry.object] : []));
}

export function keysOf(entries: readonly Entry[]): readonly string[] {
  return objectsOf(entries).map(({ key }) => key);
}

export function prefixesOf(entries: readonly Entry[]): readonly string[] {
  return entries.flatMap((entry) => (entry.kind === 'folder' ? [entry.prefix] : []));
}

/** Returns the entries of a page of a list, with names relative to the folder. */
export function entriesOf(page: ListPage, folder: string): Entry[] {
  const folders = page.prefixes.map((prefix) => ({
    kind: 'folder' as const,
    id: `folder ${prefix}`,
    prefix,
    name: prefix.slice(folder.length),
  }));
  return [...folders, ...page.objects.map((object) => objectEntry(object, folder))];
}

export function objectEntry(object: ObjectDescriptor, folder: string): ObjectEntry {
  const { key } = object;
  return { kind: 'object', id: `object ${key}`, name: nameIn(folder, key), object };
}

export function deletedEntry(deleted: DeletedObject, folder: string): DeletedEntry {
  const { key } = deleted;
  return { kind: 'deleted', id: `deleted ${key}`, name: nameIn(folder, key), deleted };
}

function nameIn(folder: string, key: string): string {
  return key.slice(folder.length) || '(the folder itself)';
}

export type SortField = 'name' | 'size' | 'time';

export interface Sorting {
  readonly field: SortField;
  readonly isDescending: boolean;
}

/** Returns the entries in order, folders always before objects. */
export function sorted(entries: readonly Entry[], { field, isDescending }: Sorting): Entry[] {
  const sign = isDescending ? -1 : 1;
  return [...entries].sort(
    (a, b) =>
      Number(b.kind === 'folder') - Number(a.kind === 'folder') ||
      sign * compare(sortValue(a, field), sortValue(b, field)) ||
      sign * compare(a.name, b.name),
  );
}

function sortValue(entry: Entry, field: SortField): string | number {
  if (field === 'name' || entry.kind === 'folder') return entry.name;
  if (entry.kind === 'deleted') return field === 'size' ? -1 : entry.deleted.deleted_at;
  return field === 'size' ? entry.object.size : entry.object.updated_at;
}

function compare(a: string | number, b: string | number): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Returns the path to a folder, each step with its prefix. */
export function stepsTo(
  folder: string,
): readonly { readonly name: string; readonly prefix: string }[] {
  const names = folder.split('/').slice(0, -1);
  return names.map((name, index) => ({
    name: name === '' ? '(no name)' : name,
    prefix: `${names.slice(0, index + 1).join('/')}/`,
  }));
}
