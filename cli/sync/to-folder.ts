/** Makes a file equal to the object of its name. */
import { createHash } from 'node:crypto';
import { mkdir, rename, rm, unlink, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type ObjectDescriptor, StowageError } from '../../client/index';
import { UserError } from '../shared/errors';
import { fileNameFor } from '../shared/folders';
import { timeOf } from './contents';
import {
  codeOf,
  type Found,
  find,
  foundBy,
  isAbsent,
  pathOf,
  removeEmptyFolders,
  removeIfEmpty,
  statOf,
} from './local-files';
import { fileProblem, foldersOf, WORK_FOLDER } from './names';
import type { Pair } from './options';
import type { Outcome } from './reconciler';

/** Largest object that is received in one request. */
const INLINE_BYTES = 4 * 1024 ** 2;

export async function settleFile(pair: Pair, name: string): Promise<Outcome> {
  const { list, options, root, contents } = pair;
  if (options.isExcluded(name)) return { did: 'nothing' };
  const { object, problem } = list.wanted(name);
  // A name that no file can have is not looked up either.
  const found: Found = fileProblem(name) === undefined ? await find(root, name) : NONE;
  if (!object) {
    // Where case is ignored, the file that was found may have another name.
    const isOurs = !list.isFileOfAnother(name);
    const outcome = isOurs ? await withoutObject(pair, name, found) : NOTHING;
    return problem === undefined ? outcome : { did: 'skipped', reason: problem };
  }
  if (found.kind === 'file' && (await contents.isSame(name, found.file, object))) {
    return { did: 'nothing' };
  }
  if (found.kind === 'other') return { did: 'skipped', reason: SPECIAL };
  if (options.dryRun) return { did: 'downloaded', size: object.size };
  const inTheWay = await prepareFolders(pair, name);
  if (inTheWay !== undefined) return { did: 'waits', reason: inTheWay };
  return place(pair, name, object);
}

const SPECIAL = 'a device, socket or FIFO has this name';

const NONE: Found = { kind: 'none' };
const NOTHING: Outcome = { did: 'nothing' };

async function withoutObject(pair: Pair, name: string, found: Found): Promise<Outcome> {
  const { options, root, contents } = pair;
  if (found.kind !== 'file' || !options.delete) return { did: 'nothing' };
  if (options.dryRun) return { did: 'deleted' };
  await unlink(pathOf(root, name));
  contents.forget(name);
  await removeEmptyFolders(root, name);
  return { did: 'deleted' };
}

/** Creates the folders of a name. Returns the path that blocks them, if any. */
async function prepareFolders(pair: Pair, name: string): Promise<string | undefined> {
  const { root, options, list } = pair;
  for (const folder of foldersOf(name)) {
    const at = pathOf(root, folder);
    const stat = await statOf(at);
    const { kind } = stat ? foundBy(stat) : NONE;
    if (kind === 'folder') continue;
    if (kind === 'file' && options.delete && !options.isExcluded(folder)) {
      if (list.wanted(folder).object) return `${folder} is a file`;
      await unlink(at);
    } else if (kind !== 'none') {
      // A link may lead out of the folder.
      return kind === 'link' ? `${folder} is a symbolic link` : `${folder} is a file`;
    }
    await mkdir(at).catch((error: unknown) => {
      if (codeOf(error) !== 'EEXIST') throw error;
    });
  }
  return undefined;
}

/** Receives the object beside its place, and moves it there in one step. */
async function place(pair: Pair, name: string, object: ObjectDescriptor): Promise<Outcome> {
  const { root, contents, report } = pair;
  const work = path.join(root, WORK_FOLDER);
  await mkdir(work, { recursive: true });
  if (!(await statOf(work))?.isDirectory()) {
    throw new UserError(`${work} is no folder, and sync receives files there: remove it`);
  }
  const received = path.join(work, fileNameFor(name));
  // A link, device or FIFO that somebody has put there is removed, never written to.
  await rm(received, { force: true });
  const transfer = report.transfer(name, object.size);
  try {
    await receive(pair, object, received, transfer.at);
  } finally {
    transfer.end();
  }
  const time = timeOf(object);
  // Node.js takes a number below 0 for the present.
  const mtime = time < 0 ? new Date(time) : time / 1000;
  await utimes(received, mtime, mtime);
  const before = await statOf(received);
  const at = Date.now();
  const target = pathOf(root, name);
  const inTheWay = await moveTo(received, target);
  if (inTheWay !== undefined) {
    await rm(received, { force: true });
    return { did: 'waits', reason: inTheWay };
  }
  const after = await statOf(target);
  const isOurs = before && after && before.ino === after.ino && before.mtimeNs === after.mtimeNs;
  const found = isOurs && before.size === after.size ? foundBy(after) : NONE;
  if (found.kind === 'file') contents.record(name, found.file, object, at);
  return { did: 'downloaded', size: object.size };
}

/** Returns the reason why the file cannot be moved there, if any. */
async function moveTo(received: string, target: string): Promise<string | undefined> {
  try {
    await rename(received, target);
    return undefined;
  } catch (error) {
    // A concurrent deletion of its last file removed the folder.
    if (isAbsent(error) && (await statOf(received)))
      return 'its folder was removed during the download';
    if (!(await statOf(target))?.isDirectory()) throw error;
  }
  if (!(await removeIfEmpty(target))) return 'a folder with files has this name';
  await rename(received, target);
  return undefined;
}

/** Writes the content of exactly this version. */
async function receive(
  pair: Pair,
  object: ObjectDescriptor,
  file: string,
  onBytes: (bytes: number) => void,
): Promise<void> {
  const { client, bucket, options } = pair;
  const { key, version, size } = object;
  const { signal } = options;
  if (size > INLINE_BYTES) return download(pair, object, file, onBytes);
  const response = await client.get(bucket, key, { version, signal });
  // fetch would decode the content; the file must get the stored bytes.
  if (response.headers.has('content-encoding')) {
    await response.body?.cancel();
    return download(pair, object, file, onBytes);
  }
  const bytes = new Uint8Array(await response.arrayBuffer());
  requireContent(object, bytes.length, createHash('sha256').update(bytes).digest('base64'));
  await writeFile(file, bytes, { flag: 'wx' });
  onBytes(bytes.length);
}

async function download(
  { client, bucket, options: { signal } }: Pair,
  object: ObjectDescriptor,
  file: string,
  onBytes: (bytes: number) => void,
): Promise<void> {
  const { key, version } = object;
  const onProgress = ({ received }: { readonly received: number }) => onBytes(received);
  const target = { path: file };
  const got = await client.download(bucket, key, target, { version, onProgress, signal });
  if (got.etag !== object.etag) throw replaced(object);
}

function requireContent(object: ObjectDescriptor, size: number, sha256: string): void {
  const { checksum_sha256: checksum = sha256 } = object;
  if (size !== object.size || checksum !== sha256) throw replaced(object);
}

function replaced({ key }: ObjectDescriptor): StowageError {
  return new StowageError('invalid_answer', `what was received is not the listed ${key}`);
}
