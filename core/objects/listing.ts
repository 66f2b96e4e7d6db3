/**
 * Lists objects in key order, with folders. The keys of a folder (common prefix) are skipped with
 * one seek, and tombstones are left out. A page ends early after LIMITS.pageQueries queries.
 */
import { LIMITS } from '../limits';
import { afterName, afterPrefix, clipRange, compareNames } from './names';
import type { LiveObject, NameRange, ObjectRecord, Objects } from './ports';

export interface ListQuery {
  /** The ranges that the caller may list, sorted and disjoint. */
  readonly ranges: readonly NameRange[];
  readonly prefix: string;
  /** '' = no folders. */
  readonly delimiter: string;
  /** 1-1000: objects and prefixes together. */
  readonly limit: number;
}

export interface Listing {
  readonly objects: readonly LiveObject[];
  readonly prefixes: readonly string[];
  /** Where the next page begins; undefined = the list is complete. */
  readonly next?: string;
}

/**
 * One page from `from` on. AWS calls: 1 Query when no folder is skipped; at most
 * LIMITS.pageQueries.
 */
export async function listObjects(
  objects: Pick<Objects, 'list'>,
  bucketId: string,
  query: ListQuery,
  from: string,
): Promise<Listing> {
  const page = new PageBuilder(query);
  let queries = 0;
  for (const range of query.ranges) {
    let rest = clipRange(range, page.afterFolder(from));
    while (rest) {
      if (queries++ === LIMITS.pageQueries) return page.listing(rest.from);
      // One more than fits shows whether there is a next page.
      const read = await objects.list(bucketId, rest, Math.min(page.room + 1, LIMITS.pageMax));
      for (const record of read.items) {
        if (!page.add(record)) return page.listing(record.key);
      }
      const last = read.items.at(-1);
      if (!read.more || !last) break;
      rest = clipRange(range, page.resumeAfter(last.key));
    }
  }
  return page.listing(undefined);
}

class PageBuilder {
  private readonly objects: LiveObject[] = [];
  private readonly prefixes: string[] = [];
  private bytes = 0;
  /** The end of the folder that was added last. */
  private folderEnd: string | undefined;

  constructor(private readonly query: ListQuery) {}

  get room(): number {
    return this.query.limit - this.objects.length - this.prefixes.length;
  }

  /** Adds the record. False: the page is full, and the record belongs to the next one. */
  add(record: ObjectRecord): boolean {
    if (record.state === 'deleted' || this.isInFolder(record.key)) return true;
    if (this.room === 0 || this.bytes > LIMITS.pageBytes) return false;
    const folder = this.folderOf(record.key);
    if (folder === undefined) {
      this.objects.push(record);
      this.bytes += sizeOf(record);
    } else {
      this.prefixes.push(folder);
      this.bytes += folder.length;
      this.folderEnd = afterPrefix(folder);
    }
    return true;
  }

  /** Where to continue after that key: after its folder, if it is in one. */
  resumeAfter(key: string): string {
    return this.isInFolder(key) && this.folderEnd !== undefined ? this.folderEnd : afterName(key);
  }

  /**
   * `from`, or the end of the last folder if that is further: the next range may begin inside it.
   */
  afterFolder(from: string): string {
    const { folderEnd } = this;
    return folderEnd !== undefined && compareNames(folderEnd, from) > 0 ? folderEnd : from;
  }

  listing(next: string | undefined): Listing {
    return { objects: this.objects, prefixes: this.prefixes, next };
  }

  private isInFolder(key: string): boolean {
    const folder = this.prefixes.at(-1);
    return folder !== undefined && key.startsWith(folder);
  }

  private folderOf(key: string): string | undefined {
    const { delimiter, prefix } = this.query;
    if (delimiter === '') return undefined;
    const at = key.indexOf(delimiter, prefix.length);
    return at < 0 ? undefined : key.slice(0, at + delimiter.length);
  }
}

/** The approximate size of a descriptor in JSON. */
function sizeOf(object: LiveObject): number {
  const metadata = Object.entries(object.metadata).reduce(
    (n, [k, v]) => n + k.length + v.length,
    0,
  );
  return 300 + 2 * object.key.length + 2 * metadata;
}

/** The first name that a list with `start_after` may show. */
export function listStart(startAfter: string | undefined, prefix: string): string {
  if (startAfter === undefined || compareNames(startAfter, prefix) < 0) return prefix;
  return afterName(startAfter);
}
