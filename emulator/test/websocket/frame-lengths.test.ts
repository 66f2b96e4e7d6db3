import * as fc from 'fast-check';
import { FrameLengths } from '../../src/services/websocket/frame-lengths';

/** A masked text frame (RFC 6455, 5.2). */
function frame(length: number): Buffer {
  const head = Buffer.alloc(length < 126 ? 2 : length < 65_536 ? 4 : 10);
  head[0] = 0x81;
  if (length < 126) head[1] = 0x80 | length;
  else if (length < 65_536) {
    head[1] = 0x80 | 126;
    head.writeUInt16BE(length, 2);
  } else {
    head[1] = 0x80 | 127;
    head.writeBigUInt64BE(BigInt(length), 2);
  }
  return Buffer.concat([head, Buffer.alloc(4 + length, 0xff)]);
}

const lengths = fc.array(
  fc.oneof(
    fc.integer({ min: 0, max: 300 }),
    fc.integer({ min: 65_500, max: 65_600 }),
    fc.constantFrom(125, 126, 65_535, 65_536),
  ),
  { maxLength: 8 },
);

test('detects a frame that is too long, however its bytes are divided', async () => {
  await fc.assert(
    fc.property(
      lengths,
      fc.constantFrom(100, 126, 65_535, 65_550),
      fc.array(fc.integer({ min: 1, max: 40_000 }), { minLength: 1, maxLength: 20 }),
      (frames, limit, cuts) => {
        const bytes = Buffer.concat(frames.map(frame));
        const meter = new FrameLengths(limit);
        let exceeded = false;
        for (let at = 0, turn = 0; at < bytes.length && !exceeded; turn++) {
          const end = at + (cuts[turn % cuts.length] ?? 1);
          exceeded = meter.exceeds(bytes.subarray(at, end));
          at = end;
        }
        expect(exceeded).toBe(frames.some((length) => length > limit));
      },
    ),
    { numRuns: 200 },
  );
});

test('reads a length of eight bytes as an unsigned number', () => {
  const head = Buffer.from([0x81, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]);
  const meter = new FrameLengths(32_768);
  expect(meter.exceeds(head.subarray(0, 9))).toBe(false);
  expect(meter.exceeds(head.subarray(9))).toBe(true);
});
