/** Saves objects and folders as a zip, which is written while they are downloaded. */
import { makeZip } from 'client-zip';
import type { StowageClient } from '../../../client/client';
import { StowageError } from '../../../client/errors';
import type { ObjectDescriptor } from '../../../client/resources';
import { plural, sizeText } from '../parts/format';
import type { JobWatch } from './job';
import { heldInMemory } from './zip-memory';
import { ZipNames } from './zip-names';

export interface ZipContents {
  readonly bucket: string;
  /** The folder that the names in the zip are relative to. */
  readonly folder: string;
  readonly objects: readonly ObjectDescriptor[];
  readonly prefixes: readonly string[];
}

/** The file to write; undefined when the browser cannot write a file while it is downloaded. */
export type ZipTarget = FileSystemFileHandle | undefined;

/** A part of the File System Access API that not every browser has. */
type SavingWindow = Window & {
  readonly showSaveFilePicker?: (options: {
    readonly suggestedName: string;
    readonly types: readonly object[];
  }) => Promise<FileSystemFileHandle>;
};

/** Asks where to save the zip. Must be called by a click. Throws AbortError if the user cancels. */
export async function askForTarget(name: string): Promise<ZipTarget> {
  const types = [{ accept: { 'application/zip': ['.zip'] } }];
  return (window as SavingWindow).showSaveFilePicker?.({ suggestedName: name, types });
}

/**
 * Writes the zip to the target; without a target, returns its bytes. Throws StowageError, or the
 * reason of the signal, and then leaves no file.
 */
export async function saveZip(
  client: StowageClient,
  contents: ZipContents,
  target: ZipTarget,
  watch: JobWatch,
): Promise<Blob | undefined> {
  const found = objectsOf(client, contents, watch.signal);
  const objects = target ? found : await heldInMemory(found);
  const zip = makeZip(filesOf(client, objects, contents, watch));
  if (!target) return new Response(zip).blob();
  const file = await target.createWritable();
  // A failure aborts the file, so that no incomplete zip remains.
  await zip.pipeTo(file, { signal: watch.signal });
  return undefined;
}

async function* filesOf(
  client: StowageClient,
  objects: Iterable<ObjectDescriptor> | AsyncIterable<ObjectDescriptor>,
  contents: ZipContents,
  watch: JobWatch,
) {
  const names = new ZipNames();
  let count = 0;
  let bytes = 0;
  for await (const object of objects) {
    const { bucket, key, size } = object;
    const name = names.add(key.slice(contents.folder.length), size);
    const lastModified = new Date(object.updated_at);
    if (name.endsWith('/')) yield { name, lastModified };
    else {
      const input = await contentOf(client, object, watch);
      if (!input) continue;
      yield { name, lastModified, input };
    }
    count += 1;
    bytes += object.size;
    watch.progress(`${plural(count, 'object')} of ${bucket}, ${sizeText(bytes)}`);
  }
}

async function* objectsOf(
  client: StowageClient,
  { bucket, objects, prefixes }: ZipContents,
  signal: AbortSignal,
): AsyncGenerator<ObjectDescriptor> {
  yield* objects;
  for (const prefix of prefixes) yield* client.objects(bucket, { prefix, signal });
}

/** Returns undefined when the object no longer exists. */
async function contentOf(
  client: StowageClient,
  { bucket, key }: ObjectDescriptor,
  { signal, skip }: JobWatch,
): Promise<ReadableStream<Uint8Array> | undefined> {
  try {
    const { body } = await client.get(bucket, key, { signal });
    return body ?? new Blob([]).stream();
  } catch (error) {
    if (!(error instanceof StowageError) || error.code !== 'not_found') throw error;
    skip(key);
    return undefined;
  }
}
