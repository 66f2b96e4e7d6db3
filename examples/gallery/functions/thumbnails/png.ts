/** Decodes, shrinks and encodes PNG pictures, without any package. https://www.w3.org/TR/png-3/ */
import { crc32, deflateSync, inflateSync } from 'node:zlib';

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/**
 * Samples of a pixel by colour type: grey, RGB, grey with alpha, RGB with alpha. Palettes are not
 * supported.
 */
const SAMPLES: Readonly<Record<number, number>> = { 0: 1, 2: 3, 4: 2, 6: 4 };

/** Limits the memory that a small compressed file can require. */
const MAX_PIXELS = 25_000_000;

export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly colourType: number;
  /** Row by row, a byte for each sample. */
  readonly pixels: Buffer;
}

/** The file is not a picture that `decode` supports. The message says why. */
export class NoPicture extends Error {}

/**
 * Returns the picture. Throws NoPicture unless the file is a PNG with 8 bits a sample, without a
 * palette, and not interlaced.
 */
export function decode(file: Buffer): Picture {
  if (!file.subarray(0, 8).equals(SIGNATURE)) throw new NoPicture('it is not a PNG file');
  const header = file.subarray(16, 29);
  if (header.length < 13) throw new NoPicture('it ends in its header');
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  const [depth, colourType = 3, , , interlaced] = header.subarray(8);
  const samples = SAMPLES[colourType];
  if (depth !== 8 || samples === undefined || interlaced !== 0) {
    throw new NoPicture('it has a palette, is interlaced, or has other than 8 bits a sample');
  }
  if (width === 0 || height === 0 || width * height > MAX_PIXELS) {
    throw new NoPicture(`it must have 1 to ${MAX_PIXELS} pixels`);
  }
  const rowBytes = width * samples;
  const maxOutputLength = height * (rowBytes + 1);
  let filtered: Buffer;
  try {
    filtered = inflateSync(Buffer.concat([...data(file)]), { maxOutputLength });
  } catch (cause) {
    throw new NoPicture('its data are damaged', { cause });
  }
  if (filtered.length !== maxOutputLength) throw new NoPicture('its data are not complete');
  return { width, height, colourType, pixels: unfilter(filtered, height, rowBytes, samples) };
}

/**
 * Returns the picture with its longer side at most `side` pixels. Each pixel is the mean of the
 * pixels that it replaces.
 */
export function shrink(picture: Picture, side: number): Picture {
  const { colourType, pixels } = picture;
  const samples = SAMPLES[colourType] ?? 0;
  const scale = Math.max(1, Math.max(picture.width, picture.height) / side);
  const width = Math.max(1, Math.round(picture.width / scale));
  const height = Math.max(1, Math.round(picture.height / scale));
  const small = Buffer.alloc(width * height * samples);
  for (let y = 0; y < height; y++) {
    const [top, bottom] = replaced(y, height, picture.height);
    for (let x = 0; x < width; x++) {
      const [left, right] = replaced(x, width, picture.width);
      for (let sample = 0; sample < samples; sample++) {
        let sum = 0;
        for (let row = top; row < bottom; row++)
          for (let column = left; column < right; column++)
            sum += pixels[(row * picture.width + column) * samples + sample] ?? 0;
        small[(y * width + x) * samples + sample] = sum / ((bottom - top) * (right - left));
      }
    }
  }
  return { width, height, colourType, pixels: small };
}

/** Returns the bytes of a PNG file. */
export function encode({ width, height, colourType, pixels }: Picture): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, colourType], 8);
  const rowBytes = width * (SAMPLES[colourType] ?? 0);
  const rows = Array.from({ length: height }, (_, y) => [
    Buffer.of(0),
    pixels.subarray(y * rowBytes, (y + 1) * rowBytes),
  ]);
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.concat(rows.flat()))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/**
 * Returns which of the `before` pixels of a row or column are replaced by one of its `after`
 * pixels: the first one, and the one after the last.
 */
function replaced(pixel: number, after: number, before: number): readonly [number, number] {
  const first = Math.floor((pixel * before) / after);
  return [first, Math.max(first + 1, Math.floor(((pixel + 1) * before) / after))];
}

/** Yields the contents of the IDAT chunks. */
function* data(file: Buffer): Generator<Buffer> {
  for (let at = 8; at + 12 <= file.length; ) {
    const length = file.readUInt32BE(at);
    if (file.toString('latin1', at + 4, at + 8) === 'IDAT') {
      yield file.subarray(at + 8, at + 8 + length);
    }
    at += 12 + length;
  }
}

function chunk(type: string, content: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  const whole = Buffer.alloc(body.length + 8);
  whole.writeUInt32BE(content.length, 0);
  body.copy(whole, 4);
  whole.writeUInt32BE(crc32(body), body.length + 4);
  return whole;
}

/**
 * Reverses the filter of each row, and returns the samples. https://www.w3.org/TR/png-3/#9Filters
 */
function unfilter(filtered: Buffer, height: number, rowBytes: number, samples: number): Buffer {
  const pixels = Buffer.alloc(height * rowBytes);
  for (let y = 0; y < height; y++) {
    const from = y * (rowBytes + 1);
    const filter = filtered[from] ?? 0;
    for (let x = 0; x < rowBytes; x++) {
      const at = y * rowBytes + x;
      const left = x < samples ? 0 : (pixels[at - samples] ?? 0);
      const up = y === 0 ? 0 : (pixels[at - rowBytes] ?? 0);
      const corner = x < samples || y === 0 ? 0 : (pixels[at - rowBytes - samples] ?? 0);
      pixels[at] = (filtered[from + 1 + x] ?? 0) + predicted(filter, left, up, corner);
    }
  }
  return pixels;
}

/** The value that the filter adds to a sample, from its neighbours. */
function predicted(filter: number, left: number, up: number, corner: number): number {
  if (filter === 0) return 0;
  if (filter === 1) return left;
  if (filter === 2) return up;
  if (filter === 3) return (left + up) >> 1;
  if (filter !== 4) throw new NoPicture(`it has the filter ${filter}`);
  const [byLeft, byUp] = [Math.abs(up - corner), Math.abs(left - corner)];
  const byCorner = Math.abs(left + up - 2 * corner);
  if (byLeft <= byUp && byLeft <= byCorner) return left;
  return byUp <= byCorner ? up : corner;
}
