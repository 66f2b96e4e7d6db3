/** Makes an object equal to the file of its name. */
import {
  type ObjectDescriptor,
  StowageError,
  type UploadOptions,
  type UploadSource,
} from '../../client/index';
import { addressText } from '../shared/address';
import { beginningOfFile, contentTypeOf } from '../shared/content-types';
import { savedUploadIn } from '../shared/saved-uploads';
import { CHECKSUM_METADATA, TIME_METADATA, timeMetadata } from './contents';
import {
  contentAt,
  type Found,
  find,
  type LocalFile,
  pathOf,
  sha256Of,
  statOf,
} from './local-files';
import { fileProblem, keyProblem } from './names';
import type { Pair } from './options';
import type { Outcome } from './reconciler';
import { SMALL_BYTES, type SmallUploads } from './small-uploads';

/** Largest content of a single request. It is read into memory. */
const INLINE_BYTES = 4 * 1024 ** 2;

const CHANGED: Outcome = { did: 'waits', reason: 'the file changed while it was read' };
const OVERTAKEN: Outcome = {
  did: 'waits',
  reason: 'somebody else changed the object after it was listed, so it stays as it is: sync again',
};
const SIMILAR: Outcome = {
  did: 'skipped',
  reason: 'kept, because it may be of a file or folder whose name is not UTF-8: rename that one',
};

export interface UploadingPair extends Pair {
  readonly smallUploads: SmallUploads;
}

/** Calls `yields` when the name only waits for its request, so that another may begin. */
export async function settleObject(
  pair: UploadingPair,
  name: string,
  yields: () => void,
): Promise<Outcome> {
  const { list, options, root, contents } = pair;
  if (options.isExcluded(name)) return { did: 'nothing' };
  // The path of a key such as a//b would be another file.
  const found: Found = fileProblem(name) === undefined ? await find(root, name) : { kind: 'none' };
  const object = list.get(name);
  if (found.kind === 'not-utf8') return object && options.delete ? SIMILAR : { did: 'nothing' };
  try {
    if (found.kind !== 'file') return await withoutFile(pair, name, object);
    const reason = keyProblem(name, list.prefix);
    if (reason !== undefined) return { did: 'skipped', reason };
    const { file } = found;
    if (object && (await contents.isSame(name, file, object))) return { did: 'nothing' };
    if (options.dryRun) return { did: 'uploaded', size: file.size };
    return await uploadFile(pair, name, { file, object, yields });
  } catch (error) {
    if (error instanceof StowageError && error.code === 'precondition_failed') return OVERTAKEN;
    throw error;
  }
}

async function withoutFile(
  { client, bucket, list, options, root, contents }: Pair,
  name: string,
  object: ObjectDescriptor | undefined,
): Promise<Outcome> {
  if (!object || !options.delete) return { did: 'nothing' };
  if (options.dryRun) return { did: 'deleted' };
  // The files of an unmounted disk have not been deleted.
  if (!(await statOf(root))?.isDirectory()) throw new Error(`the folder ${root} is gone`);
  const key = list.keyOf(name);
  try {
    const { cursor } = await client.delete(bucket, key, {
      ifMatch: object.etag,
      signal: options.signal,
    });
    list.learn(name, cursor, undefined);
  } catch (error) {
    if (!(error instanceof StowageError && error.code === 'not_found')) throw error;
  }
  contents.forget(name);
  return { did: 'deleted' };
}

interface Upload {
  readonly file: LocalFile;
  /** What the file replaces. */
  readonly object: ObjectDescriptor | undefined;
  readonly yields: () => void;
}

async function uploadFile(
  pair: UploadingPair,
  name: string,
  { file, object, yields }: Upload,
): Promise<Outcome> {
  const { client, bucket, list, contents, options, report, root, smallUploads } = pair;
  const at = Date.now();
  const opened = file.size > INLINE_BYTES ? await large(pair, name) : await small(root, name);
  // The file must not have changed since it was compared.
  if ((await signOf(root, name)) !== file.sign || !opened) return CHANGED;
  const { source, resume } = opened;
  const transfer = report.transfer(name, file.size);
  const key = list.keyOf(name);
  const content = {
    contentType: opened.contentType,
    metadata: { [TIME_METADATA]: timeMetadata(file), ...opened.metadata },
    ...(object ? { ifMatch: object.etag } : { ifNoneMatch: '*' as const }),
  };
  const alone = () =>
    client.upload(bucket, key, source, {
      ...content,
      ...(resume && { resume }),
      onProgress: ({ sent }) => transfer.at(sent),
      signal: options.signal,
    });
  try {
    const isSmall = source instanceof Uint8Array && source.length <= SMALL_BYTES;
    if (isSmall && !smallUploads.isFull) yields();
    const uploaded = isSmall
      ? await smallUploads.upload({
          change: { op: 'put', key, content: source, ...content },
          alone,
        })
      : await alone();
    transfer.at(file.size);
    if (isDescriptor(uploaded)) {
      list.learn(name, uploaded.cursor, uploaded);
      contents.record(name, file, uploaded, at);
    }
  } catch (error) {
    // A Blob of a file that has changed cannot be read.
    if ((await signOf(root, name)) !== file.sign) return CHANGED;
    throw error;
  } finally {
    transfer.end();
  }
  return { did: 'uploaded', size: file.size };
}

interface OpenedFile {
  readonly source: UploadSource;
  readonly contentType: string | undefined;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly resume?: UploadOptions['resume'];
}

async function small(root: string, name: string): Promise<OpenedFile | undefined> {
  const source = await contentAt(root, name);
  return source && { source, contentType: await contentTypeOf(name, async () => source) };
}

/** Uploads in parts, with the checksum in the metadata and a saved state to continue from. */
async function large({ root, list, bucket, options }: Pair, name: string): Promise<OpenedFile> {
  const source = { path: pathOf(root, name) };
  const metadata = { [CHECKSUM_METADATA]: await sha256Of(source.path, options.signal) };
  const contentType = await contentTypeOf(name, () => beginningOfFile(source.path));
  if (options.stateFile === undefined) return { source, contentType, metadata };
  const about = addressText({ bucket, key: list.keyOf(name) });
  const resume = savedUploadIn(`${options.stateFile}.uploads`, about);
  return { source, contentType, metadata, resume };
}

async function signOf(root: string, name: string): Promise<string | undefined> {
  const found = await find(root, name);
  return found.kind === 'file' ? found.file.sign : undefined;
}

function isDescriptor(uploaded: Partial<ObjectDescriptor>): uploaded is ObjectDescriptor {
  return uploaded.etag !== undefined && uploaded.metadata !== undefined;
}
