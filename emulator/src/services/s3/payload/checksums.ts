/**
 * Checksums of objects and parts.
 * https://docs.aws.amazon.com/AmazonS3/latest/userguide/checking-object-integrity.html
 * Not emulated: S3 computes a CRC-64/NVME for objects that are uploaded without a checksum.
 */
import { createHash } from 'node:crypto';
import { S3Error } from '../protocol/errors';
import { combineCrcs, type RunningChecksum, startCrc } from './crc';

const ALGORITHMS = {
  CRC32: { bytes: 4, types: ['COMPOSITE', 'FULL_OBJECT'] },
  CRC32C: { bytes: 4, types: ['COMPOSITE', 'FULL_OBJECT'] },
  CRC64NVME: { bytes: 8, types: ['FULL_OBJECT'] },
  SHA1: { bytes: 20, types: ['COMPOSITE'] },
  SHA256: { bytes: 32, types: ['COMPOSITE'] },
} as const satisfies Record<string, { bytes: number; types: readonly ChecksumType[] }>;

export type ChecksumAlgorithm = keyof typeof ALGORITHMS;
/** The checksum of a multipart object covers the checksums of its parts, or all of its bytes. */
export type ChecksumType = 'COMPOSITE' | 'FULL_OBJECT';

export interface Checksum {
  readonly algorithm: ChecksumAlgorithm;
  /** Base64; a composite one ends in `-N` for N parts. */
  readonly value: string;
  readonly type: ChecksumType;
}

export function isChecksumAlgorithm(name: string): name is ChecksumAlgorithm {
  return Object.hasOwn(ALGORITHMS, name);
}

/** The algorithm of a header such as `x-amz-checksum-crc32`; undefined for any other header. */
export function algorithmOfHeader(header: string): ChecksumAlgorithm | undefined {
  if (!header.startsWith('x-amz-checksum-')) return undefined;
  const name = header.slice('x-amz-checksum-'.length).toUpperCase();
  return isChecksumAlgorithm(name) ? name : undefined;
}

export function checksumHeader(algorithm: ChecksumAlgorithm): string {
  return `x-amz-checksum-${algorithm.toLowerCase()}`;
}

/** Returns the name of the XML element, such as `ChecksumCRC32`. */
export function checksumElement(algorithm: ChecksumAlgorithm): string {
  return `Checksum${algorithm}`;
}

export const CHECKSUM_ALGORITHMS = Object.keys(ALGORITHMS).filter(isChecksumAlgorithm);

/**
 * The checksum type of a new multipart upload. Throws InvalidRequest when S3 does not support the
 * type with the algorithm.
 */
export function checksumTypeFor(
  algorithm: ChecksumAlgorithm,
  wanted: string | undefined,
): ChecksumType {
  const types: readonly ChecksumType[] = ALGORITHMS[algorithm].types;
  const type = wanted === undefined ? types[0] : types.find((known) => known === wanted);
  if (type !== undefined) return type;
  if (wanted !== 'COMPOSITE' && wanted !== 'FULL_OBJECT') {
    throw new S3Error('InvalidRequest', {
      message: 'Value for x-amz-checksum-type header is invalid.',
    });
  }
  throw new S3Error('InvalidRequest', {
    message: `The ${wanted} checksum type cannot be used with the ${algorithm.toLowerCase()} checksum algorithm.`,
  });
}

/** Decodes a base64 checksum. Throws InvalidRequest unless it has the length of the algorithm. */
export function parseChecksum(algorithm: ChecksumAlgorithm, value: string): Buffer {
  const bytes = Buffer.from(value, 'base64');
  if (bytes.length !== ALGORITHMS[algorithm].bytes || bytes.toString('base64') !== value) {
    throw new S3Error('InvalidRequest', {
      message: `Value for ${checksumHeader(algorithm)} header is invalid.`,
    });
  }
  return bytes;
}

export function startChecksum(algorithm: ChecksumAlgorithm): RunningChecksum {
  if (algorithm !== 'SHA1' && algorithm !== 'SHA256') return startCrc(algorithm);
  const hash = createHash(algorithm);
  return { update: (bytes) => void hash.update(bytes), digest: () => hash.digest() };
}

export interface PartChecksum {
  /** Base64. */
  readonly value: string;
  readonly size: number;
}

/** Computes the checksum of an object from those of its parts. */
export function combineChecksums(
  algorithm: ChecksumAlgorithm,
  type: ChecksumType,
  parts: readonly PartChecksum[],
): Checksum {
  const digests = parts.map((part) => ({
    digest: Buffer.from(part.value, 'base64'),
    size: part.size,
  }));
  if (type === 'FULL_OBJECT' && algorithm !== 'SHA1' && algorithm !== 'SHA256') {
    return { algorithm, type, value: combineCrcs(algorithm, digests).toString('base64') };
  }
  const running = startChecksum(algorithm);
  for (const part of digests) running.update(part.digest);
  const value = `${running.digest().toString('base64')}-${parts.length}`;
  return { algorithm, type: 'COMPOSITE', value };
}
