/**
 * The three CRCs of S3, in the reflected form, driven by tables. node:zlib has only CRC-32, and
 * only from Node 20.15 on. Parameters: https://reveng.sourceforge.io/crc-catalogue/
 * (CRC-32/ISO-HDLC, CRC-32/ISCSI, CRC-64/NVME).
 */
import * as zlib from 'node:zlib';

/** A checksum that is being computed. `digest` is big-endian, as in S3, and may be called once. */
export interface RunningChecksum {
  update(bytes: Uint8Array): void;
  digest(): Buffer;
}

const POLYNOMIAL = {
  CRC32: 0xedb88320n,
  CRC32C: 0x82f63b78n,
  CRC64NVME: 0x9a6c9329ac4bc9b5n,
} as const;
export type CrcAlgorithm = keyof typeof POLYNOMIAL;

const WIDTH = { CRC32: 32n, CRC32C: 32n, CRC64NVME: 64n } as const;

/**
 * The remainder of each byte, as two 32-bit halves: BigInt arithmetic for each byte would take 50
 * times as long.
 */
interface Table {
  readonly high: Uint32Array;
  readonly low: Uint32Array;
}

function buildTable(polynomial: bigint): Table {
  const table = { high: new Uint32Array(256), low: new Uint32Array(256) };
  for (let byte = 0; byte < 256; byte += 1) {
    let value = BigInt(byte);
    for (let bit = 0; bit < 8; bit += 1) {
      value = (value & 1n) === 1n ? (value >> 1n) ^ polynomial : value >> 1n;
    }
    table.high[byte] = Number(value >> 32n);
    table.low[byte] = Number(value & 0xffffffffn);
  }
  return table;
}

const tables = new Map<CrcAlgorithm, Table>();

function tableOf(algorithm: CrcAlgorithm): Table {
  const known = tables.get(algorithm);
  if (known !== undefined) return known;
  const table = buildTable(POLYNOMIAL[algorithm]);
  tables.set(algorithm, table);
  return table;
}

export function startCrc(algorithm: CrcAlgorithm): RunningChecksum {
  if (algorithm === 'CRC64NVME') return startCrc64(tableOf(algorithm));
  if (algorithm === 'CRC32' && typeof zlib.crc32 === 'function') return startZlibCrc32();
  return startCrc32(tableOf(algorithm).low);
}

function startZlibCrc32(): RunningChecksum {
  let value = 0;
  return {
    update: (bytes) => {
      value = zlib.crc32(bytes, value);
    },
    digest: () => toBytes32(value),
  };
}

/** Exported for its test: startCrc prefers the CRC-32 of Node. */
export function startTableCrc32(): RunningChecksum {
  return startCrc32(tableOf('CRC32').low);
}

function startCrc32(table: Uint32Array): RunningChecksum {
  let value = 0xffffffff;
  return {
    update: (bytes) => {
      let running = value;
      for (const byte of bytes) running = (table[(running ^ byte) & 0xff] ?? 0) ^ (running >>> 8);
      value = running;
    },
    digest: () => toBytes32(~value),
  };
}

function startCrc64(table: Table): RunningChecksum {
  let high = 0xffffffff;
  let low = 0xffffffff;
  return {
    update: (bytes) => {
      for (const byte of bytes) {
        const index = (low ^ byte) & 0xff;
        low = ((low >>> 8) | (high << 24)) ^ (table.low[index] ?? 0);
        high = (high >>> 8) ^ (table.high[index] ?? 0);
      }
    },
    digest: () => Buffer.concat([toBytes32(~high), toBytes32(~low)]),
  };
}

function toBytes32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value >>> 0);
  return bytes;
}

/**
 * Computes the CRC of a concatenation from the CRCs of its parts. Appending n zero bytes is a
 * linear map of the bits of a CRC, whose matrix is squared log2(n) times (the method of zlib's
 * crc32_combine).
 */
export function combineCrcs(
  algorithm: CrcAlgorithm,
  parts: readonly { readonly digest: Buffer; readonly size: number }[],
): Buffer {
  let combined = 0n;
  for (const part of parts) {
    combined = appendZeros(algorithm, combined, part.size) ^ toBigInt(part.digest);
  }
  const hex = combined.toString(16).padStart(Number(WIDTH[algorithm]) / 4, '0');
  return Buffer.from(hex, 'hex');
}

function toBigInt(bytes: Buffer): bigint {
  return BigInt(`0x${bytes.toString('hex')}`);
}

function appendZeros(algorithm: CrcAlgorithm, crc: bigint, bytes: number): bigint {
  let matrix = oneZeroByte(algorithm);
  let value = crc;
  for (let left = bytes; left > 0; left = Math.floor(left / 2)) {
    if (left % 2 === 1) value = multiply(matrix, value);
    matrix = matrix.map((column) => multiply(matrix, column));
  }
  return value;
}

/** The matrix for one appended zero byte: column i is what bit i of a CRC becomes. */
function oneZeroByte(algorithm: CrcAlgorithm): readonly bigint[] {
  return Array.from({ length: Number(WIDTH[algorithm]) }, (_, bit) => {
    let value = 1n << BigInt(bit);
    for (let step = 0; step < 8; step += 1) {
      value = (value & 1n) === 1n ? (value >> 1n) ^ POLYNOMIAL[algorithm] : value >> 1n;
    }
    return value;
  });
}

function multiply(matrix: readonly bigint[], vector: bigint): bigint {
  let product = 0n;
  let rest = vector;
  for (let column = 0; rest !== 0n; column += 1, rest >>= 1n) {
    if ((rest & 1n) === 1n) product ^= matrix[column] ?? 0n;
  }
  return product;
}
