/**
 * The entries of a bucket's journal, one JSON object per line, each followed by the
 * bytes of its object when that is small. After a change of a shape, the old one must still be
 * readable.
 */

import type { Checksum, ChecksumAlgorithm, ChecksumType } from '../payload/checksums';
import type { Segment } from './data-files';
import type { S3ObjectEvent } from './object-event';

/** What a client states about an object when it creates it. */
export interface ObjectProperties {
  /** Stored and returned as sent: content-type, cache-control and the like; lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** `x-amz-meta-*` without the prefix; Latin-1, as Node reads headers. */
  readonly metadata: Readonly<Record<string, string>>;
}

export interface StoredObject extends ObjectProperties {
  readonly key: string;
  /** Bytes. */
  readonly size: number;
  /** Unquoted. */
  readonly etag: string;
  /** Epoch milliseconds. */
  readonly modified: number;
  readonly checksum?: Checksum;
  /** None when the object is empty or small. */
  readonly segments: readonly Segment[];
}

/** A small object: its bytes are in the journal, behind its entry. */
export interface InlineObject extends StoredObject {
  readonly bytesAt: number;
}

export interface StoredPart {
  readonly number: number;
  /** Bytes. */
  readonly size: number;
  /** Unquoted. */
  readonly etag: string;
  /** Epoch milliseconds. */
  readonly modified: number;
  readonly checksum?: Checksum;
  readonly segments: readonly Segment[];
}

export interface Upload extends ObjectProperties {
  readonly id: string;
  readonly key: string;
  /** Epoch milliseconds. */
  readonly initiated: number;
  readonly checksum?: { readonly algorithm: ChecksumAlgorithm; readonly type: ChecksumType };
  readonly parts: Map<number, StoredPart>;
}

export type CreatedEvent = Exclude<S3ObjectEvent['eventName'], 'ObjectRemoved:Delete'>;

export type JournalEntry =
  /**
   * A rewritten journal has neither number nor event name for objects whose event is acknowledged.
   */
  | {
      readonly op: 'put';
      readonly number?: number;
      readonly eventName?: CreatedEvent;
      readonly object: StoredObject;
      /** The multipart upload that this entry completes. */
      readonly upload?: string;
      /** Of a small object: how many bytes follow the line. */
      readonly bytes?: number;
    }
  | { readonly op: 'delete'; readonly number: number; readonly key: string; readonly time: number }
  | { readonly op: 'upload'; readonly upload: Omit<Upload, 'parts'> }
  | { readonly op: 'part'; readonly upload: string; readonly part: StoredPart }
  | { readonly op: 'abort'; readonly upload: string }
  | { readonly op: 'event'; readonly number: number; readonly event: S3ObjectEvent }
  | { readonly op: 'acknowledge'; readonly numbers: readonly number[] }
  /** The number of the last change, in a rewritten journal without the entry of that change. */
  | { readonly op: 'start'; readonly number: number };
