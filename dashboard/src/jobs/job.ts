/** Work on many objects, which the page shows while it runs. */
import { plural } from '../parts/format';

/** One object or folder, and where its objects go. */
export interface Relocation {
  readonly from: string;
  readonly to: string;
  /** Whether they are beginnings of keys. */
  readonly isFolder: boolean;
}

/** What can be continued after a reload of the page. */
export type JobSpec =
  | {
      readonly kind: 'delete';
      readonly bucket: string;
      readonly keys: readonly string[];
      /** An empty one is the whole bucket. */
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
  /** The buckets whose lists it changes. */
  readonly buckets: readonly string[];
  readonly state: 'running' | 'interrupted' | 'done' | 'failed';
  /** How much is done, as text. */
  readonly progress: string;
  /** Keys that were left out: an object of that name exists, or the source changed or is gone. */
  readonly skipped: readonly string[];
  readonly problem?: string;
  readonly canContinue: boolean;
}

export interface JobWatch {
  /** Of the job, the same when it is continued. */
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

/** `2 objects and 1 folder` */
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
