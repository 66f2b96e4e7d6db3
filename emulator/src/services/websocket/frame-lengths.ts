/**
 * Watches the bytes of a client for frames that are too long (RFC 6455, 5.2): `ws` bounds messages
 * only, API Gateway frames too. What else may be wrong with a frame is left to `ws`, which reads
 * the same bytes afterwards.
 */
export class FrameLengths {
  private readonly head = Buffer.alloc(10);
  private headBytes = 0;
  /** Bytes of mask and payload that are still to come. */
  private rest = 0;

  /** `limit`: bytes of a frame's payload. */
  constructor(private readonly limit: number) {}

  /**
   * True: a frame that begins in these bytes is longer than allowed. Nothing may be asked any more
   * then.
   */
  exceeds(bytes: Buffer): boolean {
    let at = 0;
    while (at < bytes.length) {
      if (this.rest > 0) {
        const passed = Math.min(this.rest, bytes.length - at);
        this.rest -= passed;
        at += passed;
        continue;
      }
      this.head[this.headBytes++] = bytes[at++] ?? 0;
      const length = this.length();
      if (length === undefined) continue;
      if (length > this.limit) return true;
      const masked = ((this.head[1] ?? 0) & 0x80) !== 0;
      this.rest = length + (masked ? 4 : 0);
      this.headBytes = 0;
    }
    return false;
  }

  /** Of the payload; undefined: the head is not complete yet. */
  private length(): number | undefined {
    if (this.headBytes < 2) return undefined;
    const short = (this.head[1] ?? 0) & 0x7f;
    if (short < 126) return short;
    if (short === 126) return this.headBytes < 4 ? undefined : this.head.readUInt16BE(2);
    return this.headBytes < 10 ? undefined : Number(this.head.readBigUInt64BE(2));
  }
}
