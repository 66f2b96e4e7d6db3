/** One job of `stowage cp` and `mv`: an upload, a download, or a copy within the service. */
import { mkdir, stat, unlink } from 'node:fs/promises';
import path from 'node:path';
import { type ContentOptions, type StowageClient, StowageError } from '../../../client/index';
import { type Address, addressText, type RemoteAddress } from '../../shared/address';
import { beginningOfFile, beginningOfStream, contentTypeOf } from '../../shared/content-types';
import { UsageError, UserError } from '../../shared/errors';
import { stateFolder } from '../../shared/folders';
import { standardOutput } from '../../shared/output';
import { savedUploadIn } from '../../shared/saved-uploads';
import { requireNoLink, statOf } from './local-tree';
import type { Job } from './plan';

export interface TransferOptions {
  readonly versionNumber?: number;
  readonly asOf?: number;
  /** Only create objects. */
  readonly isNew: boolean;
  /** Deletes the source afterwards. */
  readonly isMove: boolean;
  readonly content: ContentOptions;
  readonly signal: AbortSignal;
  readonly onProgress: (bytes: number) => void;
}

/** The result of a job. */
export interface Transferred {
  readonly size: number;
  readonly version?: number;
}

/** Returns an address as results show it. */
export function placeText(address: Address): string {
  if (address.kind === 'standard') return '-';
  return address.kind === 'local' ? address.path : addressText(address);
}

export async function transfer(
  client: StowageClient,
  { from, to, within }: Job,
  options: TransferOptions,
): Promise<Transferred> {
  if (from.kind === 'remote') {
    return to.kind === 'remote'
      ? copy(client, from, to, options)
      : download(client, from, to, { ...options, within });
  }
  if (to.kind === 'remote') return upload(client, from, to, options);
  throw new UsageError('one side must be in a bucket');
}

async function upload(
  client: StowageClient,
  from: Exclude<Address, { readonly kind: 'remote' }>,
  { bucket, key }: RemoteAddress,
  { content, isNew, isMove, signal, onProgress }: TransferOptions,
): Promise<Transferred> {
  const contentType =
    content.contentType ??
    (from.kind === 'local'
      ? await contentTypeOf(from.path, () => beginningOfFile(from.path))
      : await contentTypeOf(key, () => beginningOfStream(process.stdin, signal)));
  const settings = {
    ...content,
    contentType,
    ...(isNew && { ifNoneMatch: '*' as const }),
    onProgress: ({ sent }: { readonly sent: number }) => onProgress(sent),
    signal,
  };
  if (from.kind === 'standard') {
    return client.upload(bucket, key, process.stdin, settings);
  }
  // The same command continues it.
  const about = `${path.resolve(from.path)}\n${addressText({ bucket, key })}`;
  const resume = savedUploadIn(path.join(stateFolder(), 'uploads'), about);
  const before = isMove ? await signOf(from.path) : '';
  const object = await client.upload(bucket, key, { path: from.path }, { ...settings, resume });
  if (!isMove) return object;
  // Deletes the copied version only, not a later one.
  if ((await signOf(from.path)) !== before) {
    throw new UserError('the file changed while it was sent: it is copied, but not deleted');
  }
  await unlink(from.path);
  return object;
}

/** Changes with each change of the file. */
async function signOf(file: string): Promise<string> {
  const { size, mtimeNs, ctimeNs, ino } = await stat(file, { bigint: true });
  return [size, mtimeNs, ctimeNs, ino].join(' ');
}

async function download(
  client: StowageClient,
  { bucket, key }: RemoteAddress,
  to: Exclude<Address, { readonly kind: 'remote' }>,
  options: TransferOptions & Pick<Job, 'within'>,
): Promise<Transferred> {
  const { versionNumber: version, asOf, isMove, isNew, within, signal, onProgress } = options;
  const report = ({ received }: { readonly received: number }) => onProgress(received);
  const which = { version, asOf, signal, onProgress: report };
  if (to.kind === 'standard') return client.download(bucket, key, standardOutput(), which);
  if (isNew && (await statOf(to.path)))
    throw new StowageError('precondition_failed', 'the file exists');
  if (within !== undefined) await requireNoLink(within, to.path);
  await makeFolder(path.dirname(path.resolve(to.path)));
  const object = await client.download(bucket, key, { path: to.path }, which);
  // Deletes the copied version only, not a later one.
  if (isMove) await client.delete(bucket, key, { ifMatch: object.etag, signal });
  return object;
}

/** Throws UserError when a file is in the place of the folder, or of one above it. */
async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EEXIST' && code !== 'ENOTDIR') throw error;
    throw new UserError(`there is a file in the place of the folder ${folder}`);
  }
}

async function copy(
  client: StowageClient,
  from: RemoteAddress,
  to: RemoteAddress,
  { versionNumber, asOf, isMove, isNew, content, signal }: TransferOptions,
): Promise<Transferred> {
  const condition = isNew ? ({ ifNoneMatch: '*' } as const) : {};
  const isSame = from.bucket === to.bucket;
  if (isSame && from.key === to.key && versionNumber === undefined && asOf === undefined) {
    throw new UsageError('source and destination are the same object');
  }
  const isPlain = Object.keys(content).length === 0;
  if (isMove && isSame && isPlain) return client.move(to.bucket, to.key, from.key, condition);
  const source =
    asOf === undefined && !isMove
      ? undefined
      : await client.describe(from.bucket, from.key, { asOf, signal });
  const version = versionNumber ?? source?.version;
  const object = await client.copy(
    to.bucket,
    to.key,
    { bucket: from.bucket, key: from.key, version },
    { ...content, ...condition },
  );
  if (isMove) await client.delete(from.bucket, from.key, { ifMatch: source?.etag, signal });
  return object;
}
