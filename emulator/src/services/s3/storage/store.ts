/**
 * The content of one bucket, stored so that it survives `kill -9`.
 *
 * The bytes are in write-once files with random names (data-files.ts). Everything else is in one
 * append-only journal, from which the index in memory is rebuilt at start. The order of effects is
 * always: the bytes in their file, one journal line, the index, the response. A crash therefore
 * leaves either the whole change or nothing that a client can see: a data file without a line, or
 * an incomplete line, both of which are removed at the next start. A multipart object is the list
 * of the files of its parts, so that completing it is one line and copies no bytes. Overwriting or
 * deleting is one line too; the old file is deleted afterwards. The journal is rewritten at start
 * when more than half of its lines are obsolete.
 *
 * Why not one file per object and one for its metadata: a start would read 100,000 files, a second
 * file and a rename would make a PUT four times as slow, and file names cannot represent every key.
 * Why the index is in memory: a page of a list needs no disk access, for about 1 KB per object.
 * Why there is no fsync: it protects against power cuts only, and would cost more than everything
 * else in a PUT.
 *
 * Events are in the journal too: the event of a change is pending until a later line acknowledges
 * it, and events that are pending at start are emitted again.
 */
import { join } from 'node:path';
import { Journal } from '../../../storage/journal';
import type { S3ObjectEvent } from '../events/object-event';
import { DataFiles, type Segment } from './data-files';
import type { CreatedEvent, JournalEntry, StoredObject, StoredPart, Upload } from './records';
import { SortedKeys } from './sorted-keys';

export class BucketStore {
  readonly name: string;
  readonly files: DataFiles;
  readonly keys = new SortedKeys();
  readonly #objects = new Map<string, StoredObject>();
  readonly #uploads = new Map<string, Upload>();
  readonly #pending = new Map<number, S3ObjectEvent>();
  readonly #journal: Journal;
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
    let entries = 0;
    this.#journal = Journal.open(join(folder, 'journal.jsonl'), (entry) => {
      entries += 1;
      this.#apply(entry as JournalEntry);
    });
    this.keys.load(this.#objects.keys());
    if (entries > 1000 && entries > 2 * this.#liveEntries())
      this.#journal.rewrite(this.#snapshot());
    this.files.sweep(this.#filesInUse());
  }

  get pending(): ReadonlyMap<number, S3ObjectEvent> {
    return this.#pending;
  }

  get(key: string): StoredObject | undefined {
    return this.#objects.get(key);
  }

  /**
   * Creates or replaces an object. `upload` is the multipart upload that it completes; parts of it
   * that the object does not use are deleted.
   */
  put(object: StoredObject, eventName: CreatedEvent, upload?: Upload): void {
    const previous = this.#objects.get(object.key);
    this.#record({ op: 'put', number: this.#number + 1, eventName, object, upload: upload?.id });
    if (previous === undefined) this.keys.add(object.key);
    if (previous !== undefined) this.files.remove(previous.segments);
    if (upload === undefined) return;
    const used = new Set(object.segments.map(({ file }) => file));
    this.files.remove(segmentsOf(upload).filter(({ file }) => !used.has(file)));
  }

  /** Does nothing when the key does not exist. `time` is epoch milliseconds. */
  delete(key: string, time: number): void {
    const previous = this.#objects.get(key);
    if (previous === undefined) return;
    this.#record({ op: 'delete', number: this.#number + 1, key, time });
    this.keys.remove(key);
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

  #record(entry: JournalEntry): void {
    this.#journal.append(entry);
    this.#apply(entry);
    if (entry.op !== 'put' && entry.op !== 'delete') return;
    const event = this.#pending.get(this.#number);
    if (event !== undefined) this.#onEvent(this, this.#number, event);
  }

  #apply(entry: JournalEntry): void {
    switch (entry.op) {
      case 'start':
        this.#number = entry.number;
        return;
      case 'put':
        this.#objects.set(entry.object.key, entry.object);
        if (entry.upload !== undefined) this.#uploads.delete(entry.upload);
        this.#number = entry.number ?? this.#number;
        if (entry.eventName !== undefined) this.#addEvent(entry.object, entry.eventName);
        return;
      case 'delete':
        this.#objects.delete(entry.key);
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
    return this.#objects.size + parts + this.#pending.size;
  }

  *#snapshot(): Generator<JournalEntry> {
    for (const object of this.#objects.values()) yield { op: 'put', object };
    for (const { parts, ...upload } of this.#uploads.values()) {
      yield { op: 'upload', upload };
      for (const part of parts.values()) yield { op: 'part', upload: upload.id, part };
    }
    for (const [number, event] of this.#pending) yield { op: 'event', number, event };
    yield { op: 'start', number: this.#number };
  }

  #filesInUse(): ReadonlySet<string> {
    const files = new Set<string>();
    for (const object of this.#objects.values()) {
      for (const { file } of object.segments) files.add(file);
    }
    for (const upload of this.#uploads.values()) {
      for (const { file } of segmentsOf(upload)) files.add(file);
    }
    return files;
  }
}

function segmentsOf(upload: Upload): readonly Segment[] {
  return [...upload.parts.values()].flatMap((part) => part.segments);
}
