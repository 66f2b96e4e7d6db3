/** Work on many objects, which the page shows while it runs. */
import { plural } from '../parts/format';

/** The key of an object, or the prefix of a folder, and its replacement. */
export interface Relocation {
  readonly from: string;
  readonly to: string;
  /** Whether `from` and `to` are prefixes of keys. */
  readonly isFolder: boolean;
}

/** A job that can be continued after a reload of the page. */
export type JobSpec =
  | {
      readonly kind: 'delete';
      readonly bucket: string;
      readonly keys: readonly string[];
      /** The empty prefix stands for the whole bucket. */
      readonly prefixes: readonly string[];
    }
  | {
      readonly kind: 'copy' | 'move';
      readonly bucket: string;
      readonly toBucket: string;
      readonly relocations: readonly Relocation[];
    };

export interface JobItem {
  readonly id: string;
  readonly title: string;
  /** The buckets that the job changes. */
  readonly buckets: readonly string[];
  readonly state: 'running' | 'interrupted' | 'done' | 'failed';
  /** How much is done, as text. */
  readonly progress: string;
  /** Skipped keys: the target exists, or the source was changed or deleted. */
  readonly skipped: readonly string[];
  readonly problem?: string;
  readonly canContinue: boolean;
}

export interface JobWatch {
  /** The id of the job, which a continued job keeps. */
  readonly id: string;
  readonly signal: AbortSignal;
  readonly progress: (text: string) => void;
  readonly skip: (key: string) => void;
}

export function titleOf(spec: JobSpec): string {
  if (spec.kind === 'delete') {
    const { bucket, keys, prefixes } = spec;
    if (prefixes.includes('')) return `Empty the bucket ${bucket}`;
    return `Delete ${countText(keys.length, prefixes.length)} of ${bucket}`;
  }
  const { bucket, toBucket, relocations } = spec;
  const folders = relocations.filter(({ isFolder }) => isFolder).length;
  const what = countText(relocations.length - folders, folders);
  const where = bucket === toBucket ? `within ${bucket}` : `from ${bucket} to ${toBucket}`;
  return `${spec.kind === 'copy' ? 'Copy' : 'Move'} ${what} ${where}`;
}

/** Returns a text such as `2 objects and 1 folder`. */
export function countText(objects: number, folders: number): string {
  const parts = [
    ...(objects > 0 ? [plural(objects, 'object')] : []),
    ...(folders > 0 ? [plural(folders, 'folder')] : []),
  ];
  return parts.join(' and ');
}

export function bucketsOf(spec: JobSpec): readonly string[] {
  return spec.kind === 'delete' ? [spec.bucket] : [spec.bucket, spec.toBucket];
}
