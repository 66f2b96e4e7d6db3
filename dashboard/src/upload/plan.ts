/** An upload in parts: its key, its file and the ranges of its parts. Pure functions. */
import { LIMITS } from '../api/limits';
import type { SignedMultipart, SignedRequest } from '../api/storage';

/** Identifies a file after a reload: a page cannot save its path. */
export interface FileIdentity {
  readonly name: string;
  /** In bytes. */
  readonly size: number;
  /** Epoch milliseconds. */
  readonly lastModified: number;
}

/** An upload in parts, as the browser saves it until it is complete. */
export interface PartedUpload {
  /** The upload id of the service. */
  readonly id: string;
  readonly bucket: string;
  readonly key: string;
  readonly file: FileIdentity;
  /** Bytes of every part but the last one. */
  readonly partSize: number;
  readonly parts: readonly { readonly number: number; readonly url: string }[];
  readonly complete: SignedRequest;
  readonly abort: SignedRequest;
  /** Whether the upload may replace an existing object. */
  readonly mayReplace: boolean;
  /**
   * When the signed URLs expire, in epoch milliseconds. For a day after that the service signs new
   * ones.
   */
  readonly expiresAt: number;
  /** The file itself, where the browser provides a handle that can be saved. */
  readonly handle?: FileSystemFileHandle;
}

/** ETags by number of the part. */
export type FinishedParts = ReadonlyMap<number, string>;

export function partedUpload(
  target: Pick<PartedUpload, 'bucket' | 'key' | 'mayReplace'>,
  file: FileIdentity,
  signed: SignedMultipart,
  handle: FileSystemFileHandle | undefined,
): PartedUpload {
  return {
    id: signed.upload_id,
    ...target,
    file: identityOf(file),
    partSize: signed.part_size,
    parts: signed.parts,
    complete: signed.complete,
    abort: signed.abort,
    expiresAt: Date.parse(signed.expires_at),
    ...(handle && { handle }),
  };
}

/** The same upload with other URLs. */
export function withUrls(upload: PartedUpload, signed: SignedMultipart): PartedUpload {
  const { parts, complete, abort, expires_at } = signed;
  return { ...upload, parts, complete, abort, expiresAt: Date.parse(expires_at) };
}

export function identityOf({ name, size, lastModified }: FileIdentity): FileIdentity {
  return { name, size, lastModified };
}

export function isSameFile(a: FileIdentity, b: FileIdentity): boolean {
  return a.name === b.name && a.size === b.size && a.lastModified === b.lastModified;
}

export function urlOf({ parts }: Pick<PartedUpload, 'parts'>, number: number): string {
  const url = parts.find((part) => part.number === number)?.url;
  if (url === undefined) throw new Error(`part ${number} has no URL`);
  return url;
}

/** The bytes [from, to) of a part. */
export function rangeOf(
  { partSize, file }: Pick<PartedUpload, 'partSize' | 'file'>,
  number: number,
): { readonly from: number; readonly to: number } {
  const from = (number - 1) * partSize;
  return { from, to: Math.min(from + partSize, file.size) };
}

export function finishedBytes(upload: PartedUpload, finished: FinishedParts): number {
  return [...finished.keys()].reduce((sum, number) => {
    const { from, to } = rangeOf(upload, number);
    return sum + to - from;
  }, 0);
}

/**
 * https://docs.aws.amazon.com/AmazonS3/latest/API/API_CompleteMultipartUpload.html. Throws when a
 * part is missing.
 */
export function completionOf(upload: PartedUpload, finished: FinishedParts): string {
  const parts = upload.parts.map(({ number }) => {
    const etag = finished.get(number);
    if (etag === undefined) throw new Error(`part ${number} was not uploaded`);
    return `<Part><PartNumber>${number}</PartNumber><ETag>${escaped(etag)}</ETag></Part>`;
  });
  const namespace = 'http://s3.amazonaws.com/doc/2006-03-01/';
  const root = 'CompleteMultipartUpload';
  return `<${root} xmlns="${namespace}">${parts.join('')}</${root}>`;
}

function escaped(text: string): string {
  return text.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Returns what is wrong with a key. undefined: it is valid. docs/api.md, "Names". */
export function keyError(key: string): string | undefined {
  if (key === '') return 'The name is empty.';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it matches control characters
  if (/[\u0000-\u001f\u007f]/.test(key)) return 'The name has control characters.';
  if (!key.isWellFormed()) return 'The name is not well-formed text.';
  if (new TextEncoder().encode(key).length > LIMITS.keyBytes) {
    return `The name is longer than ${LIMITS.keyBytes} bytes.`;
  }
  if (encodeURIComponent(key).length > LIMITS.encodedKeyLength)
    return 'The name is too long to be addressed.';
  const segments = key.split('/');
  if (segments.includes('.') || segments.includes('..')) {
    return 'No part of the name may be “.” or “..”.';
  }
  return undefined;
}
