import fc from 'fast-check';
import {
  type CrcAlgorithm,
  combineCrcs,
  startCrc,
  startTableCrc32,
} from '../../src/services/s3/payload/crc';

const ALGORITHMS: readonly CrcAlgorithm[] = ['CRC32', 'CRC32C', 'CRC64NVME'];

function crc(algorithm: CrcAlgorithm, ...pieces: readonly Uint8Array[]): Buffer {
  const running = startCrc(algorithm);
  for (const piece of pieces) running.update(piece);
  return running.digest();
}

// The check values of https://reveng.sourceforge.io/crc-catalogue/
it.each([
  ['CRC32', 'cbf43926'],
  ['CRC32C', 'e3069283'],
  ['CRC64NVME', 'ae8b14860a799888'],
] as const)('%s of 123456789 is %s', (algorithm, check) => {
  expect(crc(algorithm, Buffer.from('1234'), Buffer.from('56789')).toString('hex')).toBe(check);
});

it('computes CRC-32 by table as node:zlib does', () => {
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      const table = startTableCrc32();
      table.update(bytes);
      expect(table.digest()).toEqual(crc('CRC32', bytes));
    }),
  );
});

it.each(ALGORITHMS)('combines the %s of parts into the one of the whole', (algorithm) => {
  fc.assert(
    fc.property(
      fc.array(fc.uint8Array({ maxLength: 300 }), { minLength: 1, maxLength: 5 }),
      (parts) => {
        const digests = parts.map((part) => ({ digest: crc(algorithm, part), size: part.length }));
        expect(combineCrcs(algorithm, digests)).toEqual(crc(algorithm, ...parts));
      },
    ),
    { numRuns: 30 },
  );
});
