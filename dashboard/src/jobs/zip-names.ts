/** The names of objects in a zip. */

/**
 * The name of an object in a zip: a relative path without empty segments, and without what a
 * program that unpacks it might take for another folder. It ends with a slash only when there are
 * no bytes: a folder of a zip has none.
 */
export function zipName(key: string, size: number): string {
  const segments = key.split('/').map((segment) => segment.replace(/[\\:]/g, '_'));
  const isFolder = segments.at(-1) === '' && segments.length > 1;
  const named = isFolder ? segments.slice(0, -1) : segments;
  const path = named.map((segment) => (segment === '' ? '_' : segment)).join('/');
  if (!isFolder) return path;
  return size === 0 ? `${path}/` : `${path}/_`;
}

/**
 * `a (2).txt`: different keys may have the same name in a zip, or names that a file system takes
 * for the same. `names`: the names so far, in lower case.
 */
export function uniqueName(name: string, names: Set<string>): string {
  let unique = name;
  for (let count = 2; names.has(unique.toLowerCase()); count++) {
    unique = name.replace(/(\.[^./]*)?\/?$/, (end) => ` (${count})${end}`);
  }
  names.add(unique.toLowerCase());
  return unique;
}
