/** The objects of a bucket below a prefix, by their names: keys without the prefix. */
import type { ObjectDescriptor, StowageClient } from '../../client/index';
import { foldedName } from '../../core/folded-name';
import { EXIT, UserError } from '../shared/errors';
import { fileProblem, foldersOf } from './names';

/** The wanted state of a name in a folder. */
export type Wanted =
  | { readonly object: ObjectDescriptor; readonly problem?: undefined }
  | { readonly object?: undefined; readonly problem: string }
  | { readonly object?: undefined; readonly problem?: undefined };

export class ObjectList {
  readonly #objects = new Map<string, ObjectDescriptor>();
  /** Number of names by folder. */
  readonly #folders = new Map<string, number>();
  /** Names by their form without case. Used where the file system ignores case. */
  readonly #folded: Map<string, Set<string>> | undefined;
  /** Own changes that the change log has not shown yet, by name. */
  readonly #own = new Map<
    string,
    { readonly cursor: number; readonly object?: ObjectDescriptor }
  >();

  constructor(
    readonly prefix: string,
    { ignoresCase = false }: { readonly ignoresCase?: boolean } = {},
  ) {
    this.#folded = ignoresCase ? new Map() : undefined;
  }

  get names(): IterableIterator<string> {
    return this.#objects.keys();
  }

  nameOf(key: string): string {
    return key.slice(this.prefix.length);
  }

  keyOf(name: string): string {
    return this.prefix + name;
  }

  get(name: string): ObjectDescriptor | undefined {
    const own = this.#own.get(name);
    return own ? own.object : this.#objects.get(name);
  }

  /** Returns the object for the file of this name, or the reason why there can be no such file. */
  wanted(name: string): Wanted {
    const object = this.#objects.get(name);
    if (!object) return {};
    const problem = fileProblem(name) ?? this.#conflict(name);
    return problem === undefined ? { object } : { problem };
  }

  /** Reports whether another object owns the file that the file system has for this name. */
  isFileOfAnother(name: string): boolean {
    const group = this.#folded?.get(foldedName(name)) ?? new Set();
    return group.size > (group.has(name) ? 1 : 0);
  }

  /** Replaces all objects. Returns the names whose wanted file may have changed. */
  reset(objects: Iterable<ObjectDescriptor>): Set<string> {
    const changed = new Set(this.#objects.keys());
    this.#objects.clear();
    this.#folders.clear();
    this.#folded?.clear();
    this.#own.clear();
    for (const object of objects) {
      const name = this.nameOf(object.key);
      this.set(name, object);
      changed.add(name);
    }
    return changed;
  }

  /** Sets or deletes an object. Returns the names whose wanted file may have changed. */
  set(name: string, object: ObjectDescriptor | undefined): Set<string> {
    const changed = new Set([name]);
    const had = this.#objects.has(name);
    if (object) this.#objects.set(name, object);
    else this.#objects.delete(name);
    if (had === (object !== undefined)) return changed;
    const step = object ? 1 : -1;
    for (const folder of foldersOf(name)) {
      const count = (this.#folders.get(folder) ?? 0) + step;
      if (count > 0) this.#folders.set(folder, count);
      else this.#folders.delete(folder);
      if (this.#objects.has(folder)) changed.add(folder);
    }
    if (this.#folded) {
      const folded = foldedName(name);
      const group = this.#folded.get(folded) ?? new Set();
      for (const other of group) changed.add(other);
      if (object) group.add(name);
      else group.delete(name);
      this.#folded.set(folded, group);
    }
    return changed;
  }

  /** Applies a change of the log. Returns the names whose wanted file may have changed. */
  apply(name: string, cursor: number, object: ObjectDescriptor | undefined): Set<string> {
    const own = this.#own.get(name);
    if (own && own.cursor <= cursor) this.#own.delete(name);
    return this.set(name, object);
  }

  /** Applies a change of this process before the log shows it. */
  learn(name: string, cursor: number, object: ObjectDescriptor | undefined): void {
    const shown = this.#objects.get(name)?.cursor ?? 0;
    if (cursor > shown) this.#own.set(name, { cursor, object });
  }

  #conflict(name: string): string | undefined {
    if (this.#folders.has(name)) return 'objects exist below it: it would be a file and a folder';
    const group = this.#folded?.get(foldedName(name));
    if (!group || group.size < 2) return undefined;
    // Every run must choose the same one.
    const [first] = [...group].sort();
    return first === name ? undefined : `this file system has one file for it and ${first}`;
  }
}

/**
 * Throws UserError when nothing is below the prefix: with a mistyped prefix, a sync would delete
 * everything in the destination.
 */
export function requireObjects(
  { bucket, prefix }: { readonly bucket: string; readonly prefix: string },
  count: number,
  options: { readonly delete: boolean },
): void {
  if (count > 0 || prefix === '' || !options.delete) return;
  throw new UserError(
    `nothing is below ${bucket}:${prefix}, so --delete would delete everything in the destination`,
    EXIT.notFound,
  );
}

/** Yields every object of a place. */
export async function objectsOf(
  client: StowageClient,
  bucket: string,
  prefix: string,
  signal: AbortSignal,
): Promise<ObjectDescriptor[]> {
  const objects: ObjectDescriptor[] = [];
  for await (const object of client.objects(bucket, { prefix, signal })) objects.push(object);
  return objects;
}
