/** The entries of a folder: the keys that share a beginning up to a slash. */
import type { ListPage, ObjectDescriptor } from '../../../client/resources';

export type Entry =
  | { readonly kind: 'folder'; readonly id: string; readonly prefix: string; readonly name: string }
  | {
      readonly kind: 'object';
      readonly id: string;
      readonly name: string;
      readonly object: ObjectDescriptor;
    };

/** The folder of a prefix: the prefix up to its last slash. */
export function folderOf(prefix: string): string {
  return prefix.slice(0, prefix.lastIndexOf('/') + 1);
}

/** The names below the folder; an empty name is replaced by a text. */
export function entriesOf(page: ListPage, folder: string): Entry[] {
  const folders = page.prefixes.map((prefix) => ({
    kind: 'folder' as const,
    id: `folder ${prefix}`,
    prefix,
    name: prefix.slice(folder.length),
  }));
  const objects = page.objects.map((object) => ({
    kind: 'object' as const,
    id: `object ${object.key}`,
    name: object.key.slice(folder.length) || '(the folder itself)',
    object,
  }));
  return [...folders, ...objects];
}

/** The path to a folder, each step with its prefix. */
export function stepsTo(
  folder: string,
): readonly { readonly name: string; readonly prefix: string }[] {
  const names = folder.split('/').slice(0, -1);
  return names.map((name, index) => ({
    name: name === '' ? '(no name)' : name,
    prefix: `${names.slice(0, index + 1).join('/')}/`,
  }));
}
