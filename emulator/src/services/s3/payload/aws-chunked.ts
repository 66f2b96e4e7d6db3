/**
 * Decodes `aws-chunked` bodies: `size[;chunk-signature=…]CRLF bytes CRLF … 0 CRLF [trailers]
 * CRLF`. https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming.html and
 * sigv4-streaming-trailers.html
 */
import { createHash, type Hash } from 'node:crypto';
import { equalInConstantTime } from '../../../iam/sigv4';
import { S3Error } from '../protocol/errors';
import type { ChunkSigner } from '../signature/chunk-signer';

/** Least size of every chunk but the last, in bytes. */
const MIN_CHUNK = 8192;
/** Longest line in bytes. A limit of the emulator, against lines that never end. */
const MAX_LINE = 4096;

type State = 'size' | 'data' | 'data-end' | 'trailer' | 'done';

export class AwsChunkedDecoder {
  readonly trailers = new Map<string, string>();
  readonly #signer: ChunkSigner | undefined;
  #state: State = 'size';
  #line = '';
  #left = 0;
  #chunk = { size: 0, signature: '', hash: undefined as Hash | undefined };
  #smallChunk = false;

  /** With a signer, every chunk must be signed, and the trailers too if `trailerSigned` is set. */
  constructor(signer: ChunkSigner | undefined) {
    this.#signer = signer;
  }

  /**
   * Yields the content of the next piece of the body. Throws IncompleteBody, SignatureDoesNotMatch,
   * InvalidChunkSizeError and MalformedTrailerError.
   */
  *decode(piece: Buffer): Generator<Buffer, void, undefined> {
    let offset = 0;
    while (offset < piece.length) {
      if (this.#state === 'data') {
        const bytes = piece.subarray(offset, offset + this.#left);
        offset += bytes.length;
        this.#left -= bytes.length;
        this.#chunk.hash?.update(bytes);
        if (this.#left === 0) this.#state = 'data-end';
        yield bytes;
      } else {
        const end = piece.indexOf(0x0a, offset);
        this.#line += piece.toString('latin1', offset, end === -1 ? undefined : end);
        if (this.#line.length > MAX_LINE) throw new S3Error('IncompleteBody');
        if (end === -1) return;
        offset = end + 1;
        const line = this.#line.replace(/\r$/, '');
        this.#line = '';
        this.#takeLine(line);
      }
    }
  }

  /** Throws IncompleteBody unless the last line has been decoded. */
  finish(): void {
    if (this.#state !== 'done') throw new S3Error('IncompleteBody');
  }

  #takeLine(line: string): void {
    switch (this.#state) {
      case 'size':
        this.#startChunk(line);
        return;
      case 'data-end':
        if (line !== '') throw new S3Error('IncompleteBody');
        this.#verifyChunk();
        this.#state = 'size';
        return;
      case 'trailer':
        if (line === '') this.#endTrailers();
        else this.#takeTrailer(line);
        return;
      default:
        throw new S3Error('IncompleteBody');
    }
  }

  #startChunk(line: string): void {
    const match = /^([0-9a-fA-F]{1,12})(?:;chunk-signature=([0-9a-f]{64}))?$/.exec(line);
    if (match === null) throw new S3Error('IncompleteBody');
    const size = Number.parseInt(match[1] ?? '', 16);
    if (size > 0 && this.#smallChunk) throw new S3Error('InvalidChunkSizeError');
    this.#smallChunk = size < MIN_CHUNK;
    const hash = this.#signer === undefined ? undefined : createHash('sha256');
    this.#chunk = { size, signature: match[2] ?? '', hash };
    this.#left = size;
    if (size > 0) {
      this.#state = 'data';
      return;
    }
    this.#verifyChunk();
    this.#state = 'trailer';
  }

  #verifyChunk(): void {
    if (this.#signer === undefined || this.#chunk.hash === undefined) return;
    const expected = this.#signer.signChunk(this.#chunk.hash.digest('hex'));
    if (!equalInConstantTime(expected, this.#chunk.signature))
      throw new S3Error('SignatureDoesNotMatch');
  }

  #takeTrailer(line: string): void {
    const colon = line.indexOf(':');
    if (colon < 1 || this.trailers.size >= 16) throw new S3Error('MalformedTrailerError');
    this.trailers.set(line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim());
  }

  #endTrailers(): void {
    this.#state = 'done';
    const signature = this.trailers.get('x-amz-trailer-signature');
    this.trailers.delete('x-amz-trailer-signature');
    if (this.#signer === undefined || !this.#signer.trailerSigned) return;
    const lines = [...this.trailers].map(([name, value]) => `${name}:${value}\n`).join('');
    if (!equalInConstantTime(this.#signer.signTrailer(lines), signature ?? '')) {
      throw new S3Error('SignatureDoesNotMatch');
    }
  }
}
