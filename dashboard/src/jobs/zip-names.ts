/** The names of objects in a zip. */

/**
 * Returns the name of an object in a zip: a relative path without empty segments, and without
 * characters by which a program might unpack it into another folder. It ends with a slash only when
 * the object is empty, because a folder in a zip has no bytes.
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
 * Returns the name, with a number if it is taken: `a (2).txt`. Different keys may have the same
 * name in a zip, or names that differ only in case. `names`: the names so far, in lower case.
 */
export function uniqueName(name: string, names: Set<string>): string {
  let unique = name;
  for (let count = 2; names.has(unique.toLowerCase()); count++) {
    unique = name.replace(/(\.[^./]*)?\/?$/, (end) => ` (${count})${end}`);
  }
  names.add(unique.toLowerCase());
  return unique;
}
