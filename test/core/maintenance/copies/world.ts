/** A copy of a film in twelve parts, which a request has begun, on the fakes. */

import type { Upload } from '../../../../core/store/uploads';
import { copiedParts } from '../../../../core/uploads/parts';
import { BUCKET, openBucket, type World } from '../../../support/bucket-world';
import { createFakes } from '../../../support/fakes/fakes';
import type { Step } from '../../../support/fakes/interleaved';

const PART = 512 * 1024;
const FILM = Buffer.alloc(11.5 * PART, 'film');

export const PARTS = copiedParts(FILM.length, PART);

export async function openCopies() {
  const { deps, bucket } = await openBucket();
  const source = { blob: `objects/${BUCKET}.${bucket.id}/film/1`, etag: 'f', size: FILM.length };
  const stored = { headers: {}, metadata: {}, contentType: 'video/mp4' };
  const film = { ...stored, bytes: FILM, etag: 'f', lastModified: deps.clock.iso() };
  deps.state.blobs.set(source.blob, film);
  const expiresAt = new Date(deps.clock.now() + 86_400_000).toISOString();
  /** Returns the upload of the copy. */
  const begin = async (key: string, more: Partial<Upload> = {}): Promise<Upload> => {
    const id = deps.ids.ulid();
    const blob = `uploads/${BUCKET}.${bucket.id}/${key}/${id}`;
    const multipartId = await deps.blobs.createMultipart(blob, stored);
    const upload: Upload = {
      ...{ id, bucket: BUCKET, bucketId: bucket.id, key, blob, state: 'pending', expiresAt },
      ...{ ttl: 9e9, size: FILM.length, partSize: PART, multipartId, copyOf: source },
      ...more,
    };
    await deps.pendingCopies.begin(upload);
    return upload;
  };
  /** The numbers of the parts that S3 has of a copy; undefined: S3 has no such upload. */
  const partsOf = ({ multipartId = '' }: Upload) => {
    const open = deps.state.multiparts.get(multipartId);
    return open && [...open.parts.keys()].sort((a, b) => a - b);
  };
  /** The bytes of the copy are those of the film. */
  const isCopied = ({ blob }: Upload) => deps.state.blobs.get(blob)?.bytes.equals(FILM) === true;
  return { deps, source, begin, partsOf, isCopied };
}

/** Another process on the same state, which calls `watch` before each operation of `partCopies`. */
export function watched<Deps extends World>(
  deps: Deps,
  watch: (operation: string) => Promise<void> | void,
): Deps {
  const yieldPoint = ({ port, operation, when }: Step) =>
    port === 'partCopies' && when === 'before' ? watch(operation) : undefined;
  const { partCopies } = createFakes({ ...deps, yieldPoint });
  return { ...deps, partCopies };
}
