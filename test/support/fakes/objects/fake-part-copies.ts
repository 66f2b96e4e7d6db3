import type { CopiedPart, PartCopies, PartsOf } from '../../../../core/store/copies';
import type { CopySource } from '../../../../core/store/uploads';
import type { Clock } from '../../../../core/system';
import type { FakeState } from '../state';
import { lastModifiedAt, md5, type OpenMultipart, ofParts } from '../stored-blob';

/** S3 copies no ranges of a blob that is not larger. */
const LEAST_SOURCE = 5 * 1024 * 1024;

/** The PartCopies port in memory. */
export class FakePartCopies implements PartCopies {
  constructor(
    private readonly state: FakeState,
    private readonly clock: Clock,
  ) {}

  async list(upload: PartsOf): Promise<ReadonlyMap<number, string> | undefined> {
    const open = this.open(upload);
    if (open === undefined) return undefined;
    const byNumber = [...open.parts].sort(([a], [b]) => a - b);
    return new Map(byNumber.map(([number, bytes]) => [number, md5(bytes)]));
  }

  async copy(
    upload: PartsOf,
    source: CopySource,
    { number, start, end }: CopiedPart,
  ): Promise<string | undefined> {
    const open = this.open(upload);
    if (open === undefined) throw new Error(`NoSuchUpload: ${upload.blob}`);
    const found = this.state.blobs.get(source.blob);
    if (found === undefined || found.etag !== source.etag) return undefined;
    if (found.bytes.length <= LEAST_SOURCE) throw new Error(`InvalidRequest: ${source.blob}`);
    if (end >= found.bytes.length) throw new RangeError(`InvalidArgument: ${source.blob}`);
    const bytes = found.bytes.subarray(start, end + 1);
    open.parts.set(number, bytes);
    return md5(bytes);
  }

  async complete(upload: PartsOf, etags: readonly string[]): Promise<void> {
    const open = this.open(upload);
    if (open === undefined || this.state.blobs.has(upload.blob)) return;
    const parts = etags.flatMap((etag, index) => {
      const bytes = open.parts.get(index + 1);
      return bytes !== undefined && md5(bytes) === etag ? [bytes] : [];
    });
    if (parts.length === 0 || parts.length < etags.length) {
      throw new Error(`InvalidPart: ${upload.blob}`);
    }
    const { contentType, headers, metadata } = open;
    const stored = { ...ofParts(parts), contentType, headers, metadata };
    this.state.blobs.set(upload.blob, { ...stored, lastModified: lastModifiedAt(this.clock) });
    this.state.multiparts.delete(upload.multipartId);
  }

  private open({ blob, multipartId }: PartsOf): OpenMultipart | undefined {
    const open = this.state.multiparts.get(multipartId);
    return open?.blob === blob ? open : undefined;
  }
}
