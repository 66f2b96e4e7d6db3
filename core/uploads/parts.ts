/** The parts of multipart uploads. */
import type { CopiedPart } from '../store/copies';
import type { Upload } from '../store/uploads';

export type MultipartUpload = Upload & Required<Pick<Upload, 'size' | 'partSize' | 'multipartId'>>;

export function isMultipart(upload: Upload): upload is MultipartUpload {
  const { size, partSize, multipartId } = upload;
  return size !== undefined && partSize !== undefined && multipartId !== undefined;
}

const MiB = 1024 * 1024;

/** Bytes: at least `least`, and as many whole MiB as it takes to have at most `parts` parts. */
export function partSizeFor(size: number, least: number, parts: number): number {
  return Math.max(least, Math.ceil(size / parts / MiB) * MiB);
}

export function copiedParts(size: number, partSize: number): readonly CopiedPart[] {
  return Array.from({ length: Math.ceil(size / partSize) }, (_, index) => {
    const start = index * partSize;
    return { number: index + 1, start, end: Math.min(start + partSize, size) - 1 };
  });
}
