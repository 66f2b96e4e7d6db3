/**
 * Lists objects in key order, with folders. The keys of a large folder (common prefix) are skipped
 * with one seek, and tombstones are left out. A page ends early after LIMITS.pageQueries queries in
 * sequence.
 */
import { LIMITS } from '../limits';
import { afterName, afterPrefix, clipRange, compareNames } from '../names';
import type { NameRange } from '../pages';
import type { Objects, ShownObject, ShownRecord } from '../store/objects';
import { guessNext } from './next-names';

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
  readonly objects: readonly ShownObject[];
  readonly prefixes: readonly string[];
  /** Where the next page begins; undefined = the list is complete. */
  readonly next?: string;
}

/** Where the records of a list come from. */
export interface RecordSource extends Pick<Objects, 'listShown'> {
  /** The page is to end, because its records took many reads. Absent: it never does. */
  readonly isSpent?: boolean;
}

/** Records of a folder that are read to learn its name: not more than a read unit holds. */
const PROBE = 3;

/** A folder of more records is skipped, because a further query costs less than to read them. */
const READ_THROUGH = 10;

/** Queries that run at the same time. */
const MAX_WIDTH = 16;

/** The folders by which the names of the next ones are guessed. */
const GUESSED_BY = 8;

/** Folders in a part, where they cannot be guessed exactly: to find its end costs a query more. */
const FOLDERS_PER_PART = 3;

/** Queries of a part, one after the other, before the rest of the page is read again. */
const MAX_PART_QUERIES = 8;

/**
 * One page from `from` on. AWS calls: 1 Query when no folder is skipped; else about 1 Query for
 * each folder that is skipped, up to 16 at the same time, and up to LIMITS.pageQueries one after
 * the other.
 */
export async function listObjects(
  objects: RecordSource,
  bucketId: string,
  query: ListQuery,
  from: string,
): Promise<Listing> {
  const page = new PageBuilder(query);
  const pace = new Pace(query, page);
  let queries = 0;
  for (const range of query.ranges) {
    let rest = clipRange(range, page.afterFolder(from));
    while (rest) {
      const isLong = queries >= LIMITS.pageQueries || pace.total >= LIMITS.pageRecords;
      if (isLong || objects.isSpent) return page.listing(rest.from);
      const { parts, limit } = pace.plan(rest);
      const wave = { isOver: false };
      const reads = parts.map((part) => readPart(objects, bucketId, query, { part, limit, wave }));
      // Those that have not ended when the page is full, or when another one has failed.
      for (const read of reads) read.catch(() => undefined);
      rest = undefined;
      let most = 0;
      for (const read of reads) {
        const { records, next, queries: own } = await read;
        most = Math.max(most, own);
        for (const record of records) {
          if (page.add(record)) continue;
          wave.isOver = true;
          return page.listing(record.key);
        }
        pace.count(records.length);
        if (next === undefined) continue;
        rest = clipRange(range, page.afterFolder(next));
        break;
      }
      wave.isOver = true;
      queries += most;
      pace.adapt();
    }
  }
  return page.listing(undefined);
}

interface PartRead {
  /** In key order; of a folder only some. */
  readonly records: readonly ShownRecord[];
  /** Where the part is to be read further, or undefined when it was read to its end. */
  readonly next?: string;
  /** One after the other. */
  readonly queries: number;
}

interface PartQuery {
  readonly part: Part;
  readonly limit: number;
  /** When it is over nobody waits for the part any more. */
  readonly wave: { readonly isOver: boolean };
}

/** Reads a part, the last one of a range with one query, and skips its folders. */
async function readPart(
  objects: RecordSource,
  bucketId: string,
  query: ListQuery,
  { part, limit, wave }: PartQuery,
): Promise<PartRead> {
  const records: ShownRecord[] = [];
  let folder: string | undefined;
  let rest: NameRange | undefined = part.range;
  let queries = 0;
  const most = part.isLast ? 1 : MAX_PART_QUERIES;
  while (rest && !wave.isOver && !objects.isSpent && queries < most) {
    queries += 1;
    const { items, more } = await objects.listShown(bucketId, rest, limit);
    records.push(...items);
    const last = items.at(-1);
    if (!more || last === undefined) return { records, queries };
    // A folder in which only tombstones were found so far may hold nothing.
    const live = items.findLast(({ state }) => state === 'live');
    if (live !== undefined) folder = folderOf(query, live.key);
    const isSkipped = folder !== undefined && last.key.startsWith(folder);
    const next = isSkipped ? afterPrefix(folder ?? '') : afterName(last.key);
    rest = next === undefined ? undefined : clipRange(part.range, next);
  }
  return { records, queries, ...(rest && { next: rest.from }) };
}

/** A range that is read at the same time as others. */
interface Part {
  readonly range: NameRange;
  readonly isLast: boolean;
}

/**
 * How much is read at once. Many records in one query while they make up the page; a few of each
 * folder while the folders are large, and then those of the next folders at the same time. Where
 * these begin is a guess: a wrong one costs queries, and changes nothing in the page.
 */
class Pace {
  private limit: number;
  private width = 1;
  private isProbing = false;
  private read = 0;
  /** Records that were read for the page. */
  total = 0;
  private before = { objects: 0, prefixes: 0 };

  constructor(
    private readonly query: ListQuery,
    private readonly page: PageBuilder,
  ) {
    // One more than fits shows whether there is a next page.
    this.limit = page.room + 1;
  }

  plan(rest: NameRange): { readonly parts: readonly Part[]; readonly limit: number } {
    const limit = Math.min(this.limit, LIMITS.pageMax);
    const parts: Part[] = [];
    let left = rest;
    for (const at of this.isProbing ? this.bounds() : []) {
      const after = clipRange(left, at);
      if (!after || after.from !== at || left.from === at) continue;
      parts.push({ range: { from: left.from, before: at }, isLast: false });
      left = after;
    }
    return { parts: [...parts, { range: left, isLast: true }], limit };
  }

  count(records: number): void {
    this.read += records;
    this.total += records;
  }

  /** Learns from what was read since the last call. */
  adapt(): void {
    const { page, before, read, isProbing } = this;
    const folders = page.found.prefixes - before.prefixes;
    const entries = folders + page.found.objects - before.objects;
    const skipped = read - entries;
    this.before = page.found;
    this.read = 0;
    // An empty range says nothing about the next one.
    if (read === 0) return;
    const isLarge = folders > 0 && skipped > READ_THROUGH * folders;
    const areStillLarge = isProbing && folders > 0 && skipped >= folders;
    this.isProbing = isLarge || areStillLarge;
    if (this.isProbing) {
      this.limit = PROBE;
      if (!isProbing) this.width = 1;
      else if (folders >= this.width) this.width = Math.min(2 * this.width, MAX_WIDTH);
      else if (folders < this.width / 2) this.width = Math.ceil(this.width / 2);
      return;
    }
    const wanted = Math.ceil((page.room * read) / Math.max(1, entries)) + 1;
    this.limit = Math.min(2 * this.limit, wanted);
  }

  /** Where the next folders end, or several of them. */
  private bounds(): string[] {
    const { delimiter } = this.query;
    const { room, lastPrefixes } = this.page;
    const names = lastPrefixes.map((prefix) => prefix.slice(0, -delimiter.length));
    const count = Math.min(this.width - 1, room);
    return guessNext(names, count, FOLDERS_PER_PART).flatMap(
      (name) => afterPrefix(name + delimiter) ?? [],
    );
  }
}

class PageBuilder {
  private readonly objects: ShownObject[] = [];
  private readonly prefixes: string[] = [];
  private bytes = 0;
  /** The end of the folder that was added last. */
  private folderEnd: string | undefined;

  constructor(private readonly query: ListQuery) {}

  get room(): number {
    return this.query.limit - this.objects.length - this.prefixes.length;
  }

  /**
   * Adds the record. Returns false when the page is full, and the record belongs to the next one.
   */
  add(record: ShownRecord): boolean {
    if (record.state === 'deleted' || this.isInFolder(record.key)) return true;
    if (this.room === 0 || this.bytes > LIMITS.pageBytes) return false;
    const folder = folderOf(this.query, record.key);
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

  get found(): { readonly objects: number; readonly prefixes: number } {
    return { objects: this.objects.length, prefixes: this.prefixes.length };
  }

  get lastPrefixes(): readonly string[] {
    return this.prefixes.slice(-GUESSED_BY);
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
}

function folderOf({ delimiter, prefix }: ListQuery, key: string): string | undefined {
  if (delimiter === '') return undefined;
  const at = key.indexOf(delimiter, prefix.length);
  return at < 0 ? undefined : key.slice(0, at + delimiter.length);
}

/** The approximate size of a descriptor in JSON. */
function sizeOf(object: ShownObject): number {
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
