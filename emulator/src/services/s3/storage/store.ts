/**
 * The content of one bucket, stored so that it survives `kill -9`.
 *
 * The bytes are in write-once files with random names (data-files.ts), those of a small object in
 * the journal, where they take no block of the disk of their own. Everything else is in that one
 * append-only journal; memory has the keys and where in it their entries are, rebuilt at start. The
 * order of effects is always: the bytes in their file, one journal entry, the index, the response.
 * A crash therefore leaves either the whole change or nothing that a client can see: a data file
 * without an entry, or an incomplete entry, both of which are removed at the next start. An object
 * in parts is the list of their files, so that completing it is one entry and copies no bytes.
 * Overwriting or deleting is one entry too; the old file is deleted afterwards. The journal is
 * rewritten at start when more than half of its entries are obsolete.
 *
 * Why not one file per object and one for its metadata: a start would read 100,000 files, a second
 * file and a rename would make a PUT four times as slow, and file names cannot represent every key.
 * Why the keys are in memory: finding a page of a list needs no disk access, for about 100 bytes
 * per object. Why the rest is not: it takes ten times as much, and the kernel caches files.
 * Why there is no fsync: it protects against power cuts only, and would cost more than everything
 * else in a PUT.
 *
 * Events are in the journal too: the event of a change is pending until a later line acknowledges
 * it, and events that are pending at start are emitted again.
 */
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { type Addition, Journal } from '../../../machine/journal';
import { DataFiles, type Segment } from './data-files';
import type { S3ObjectEvent } from './object-event';
import type {
  CreatedEvent,
  InlineObject,
  JournalEntry,
  StoredObject,
  StoredPart,
  Upload,
} from './records';
import { SortedKeys } from './sorted-keys';

/**
 * Objects up to this size in bytes are in the journal: most file systems allocate as much for any
 * file.
 */
export const SMALL = 4096;

export class BucketStore {
  readonly name: string;
  readonly files: DataFiles;
  readonly keys = new SortedKeys();
  readonly #uploads = new Map<string, Upload>();
  readonly #pending = new Map<number, S3ObjectEvent>();
  #journal: Journal;
  readonly #onEvent: (store: BucketStore, number: number, event: S3ObjectEvent) => void;
  /** The number of the last change; it identifies and orders events. */
  #number = 0;

  /**
   * Reads the content of the folder. `pending` then has the events of earlier runs that are not
   * acknowledged.
   */
  constructor(
    name: string,
    folder: string,
    onEvent: (store: BucketStore, number: number, event: S3ObjectEvent) => void,
  ) {
    this.name = name;
    this.#onEvent = onEvent;
    this.files = new DataFiles(join(folder, 'data'));
    const path = join(folder, 'journal.jsonl');
    const { journal, entries, files } = this.#load(path);
    this.#journal = journal;
    this.files.sweep(files);
    if (entries <= 1000 || entries <= 2 * this.#liveEntries()) return;
    journal.rewrite(this.#snapshot());
    journal.close();
    this.#journal = this.#load(path).journal;
  }

  /** Reads the journal. Returns it, how many entries it has, and the data files in use. */
  #load(path: string) {
    this.keys.clear();
    this.#uploads.clear();
    this.#pending.clear();
    /** Of the objects that have files. */
    const segments = new Map<string, readonly Segment[]>();
    let entries = 0;
    const journal = Journal.open(path, (line, place) => {
      entries += 1;
      const entry = line as JournalEntry;
      this.#apply(entry, place);
      if (entry.op === 'delete') segments.delete(entry.key);
      if (entry.op !== 'put') return;
      segments.delete(entry.object.key);
      if (entry.object.segments.length > 0) segments.set(entry.object.key, entry.object.segments);
    });
    const ofUploads = [...this.#uploads.values()].map(segmentsOf);
    const used = [...segments.values(), ...ofUploads].flat();
    return { journal, entries, files: new Set(used.map(({ file }) => file)) };
  }

  get pending(): ReadonlyMap<number, S3ObjectEvent> {
    return this.#pending;
  }

  get(key: string): StoredObject | InlineObject | undefined {
    const place = this.keys.get(key);
    if (place === undefined) return undefined;
    const { object, bytes, bytesAt } = this.#readPut(place);
    return bytes === undefined ? object : { ...object, bytesAt };
  }

  /**
   * Reads bytes `start` to `end` (inclusive) of an object: as a Buffer when they are few, else as a
   * stream.
   */
  read(object: StoredObject | InlineObject, start: number, end: number): Buffer | Readable {
    if (!('bytesAt' in object)) return this.files.read(object.segments, start, end);
    return this.#journal.bytes(object.bytesAt + start, end - start + 1);
  }

  /**
   * Creates or replaces an object. `bytes` are those of an object without segments. `upload` is the
   * multipart upload that it completes; parts of it that the object does not use are deleted.
   */
  put(
    object: StoredObject,
    eventName: CreatedEvent,
    { upload, bytes }: { readonly upload?: Upload; readonly bytes?: Buffer } = {},
  ): void {
    const previous = this.get(object.key);
    const number = this.#number + 1;
    const entry = { op: 'put', number, eventName, object, upload: upload?.id } as const;
    this.#record({ ...entry, bytes: bytes?.length }, bytes);
    if (previous !== undefined) this.files.remove(previous.segments);
    if (upload === undefined) return;
    const used = new Set(object.segments.map(({ file }) => file));
    this.files.remove(segmentsOf(upload).filter(({ file }) => !used.has(file)));
  }

  /** Does nothing when the key does not exist. `time` is epoch milliseconds. */
  delete(key: string, time: number): void {
    const previous = this.get(key);
    if (previous === undefined) return;
    this.#record({ op: 'delete', number: this.#number + 1, key, time });
    this.files.remove(previous.segments);
  }

  upload(id: string): Upload | undefined {
    return this.#uploads.get(id);
  }

  uploads(): Iterable<Upload> {
    return this.#uploads.values();
  }

  createUpload(upload: Omit<Upload, 'parts'>): void {
    this.#record({ op: 'upload', upload });
  }

  putPart(upload: Upload, part: StoredPart): void {
    const previous = upload.parts.get(part.number);
    this.#record({ op: 'part', upload: upload.id, part });
    if (previous !== undefined) this.files.remove(previous.segments);
  }

  abortUpload(upload: Upload): void {
    this.#record({ op: 'abort', upload: upload.id });
    this.files.remove(segmentsOf(upload));
  }

  /** Removes events that have been emitted from the pending ones. */
  acknowledge(numbers: readonly number[]): void {
    this.#record({ op: 'acknowledge', numbers });
  }

  close(): void {
    this.#journal.close();
  }

  #readPut(place: number) {
    const { entry, bytesAt } = this.#journal.read(place);
    return { ...(entry as JournalEntry & { readonly op: 'put' }), bytesAt };
  }

  #record(entry: JournalEntry, bytes?: Buffer): void {
    const place = this.#journal.append(entry, bytes);
    this.#apply(entry, place);
    if (entry.op !== 'put' && entry.op !== 'delete') return;
    const event = this.#pending.get(this.#number);
    if (event !== undefined) this.#onEvent(this, this.#number, event);
  }

  #apply(entry: JournalEntry, place: number): void {
    switch (entry.op) {
      case 'start':
        this.#number = entry.number;
        return;
      case 'put':
        this.keys.set(entry.object.key, place);
        if (entry.upload !== undefined) this.#uploads.delete(entry.upload);
        this.#number = entry.number ?? this.#number;
        if (entry.eventName !== undefined) this.#addEvent(entry.object, entry.eventName);
        return;
      case 'delete':
        this.keys.remove(entry.key);
        this.#number = entry.number;
        this.#addEvent({ key: entry.key, modified: entry.time }, 'ObjectRemoved:Delete');
        return;
      case 'upload':
        this.#uploads.set(entry.upload.id, { ...entry.upload, parts: new Map() });
        return;
      case 'part':
        this.#uploads.get(entry.upload)?.parts.set(entry.part.number, entry.part);
        return;
      case 'abort':
        this.#uploads.delete(entry.upload);
        return;
      case 'event':
        this.#pending.set(entry.number, entry.event);
        return;
      case 'acknowledge':
        for (const number of entry.numbers) this.#pending.delete(number);
    }
  }

  #addEvent(
    object: { key: string; modified: number; size?: number; etag?: string },
    eventName: S3ObjectEvent['eventName'],
  ): void {
    this.#pending.set(this.#number, {
      bucket: this.name,
      key: object.key,
      size: object.size,
      etag: object.etag,
      eventName,
      time: new Date(object.modified).toISOString(),
      // Consumers compare it as text within one key, hence the fixed width.
      sequencer: this.#number.toString(16).toUpperCase().padStart(18, '0'),
    });
  }

  #liveEntries(): number {
    let parts = 0;
    for (const upload of this.#uploads.values()) parts += 1 + upload.parts.size;
    return this.keys.size + parts + this.#pending.size;
  }

  *#snapshot(): Generator<Addition & { readonly entry: JournalEntry }> {
    for (const place of this.keys.places()) {
      const { object, bytes, bytesAt } = this.#readPut(place);
      const content = bytes === undefined ? undefined : this.#journal.bytes(bytesAt, bytes);
      yield { entry: { op: 'put', object, bytes }, bytes: content };
    }
    for (const { parts, ...upload } of this.#uploads.values()) {
      yield { entry: { op: 'upload', upload } };
      for (const part of parts.values()) {
        yield { entry: { op: 'part', upload: upload.id, part } };
      }
    }
    for (const [number, event] of this.#pending) yield { entry: { op: 'event', number, event } };
    yield { entry: { op: 'start', number: this.#number } };
  }
}

function segmentsOf(upload: Upload): readonly Segment[] {
  return [...upload.parts.values()].flatMap((part) => part.segments);
}
