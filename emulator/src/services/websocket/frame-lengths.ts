/**
 * Finds frames that are too long in the bytes of a client (RFC 6455, 5.2): API Gateway limits
 * frames, `ws` only messages. `ws` reads the same bytes afterwards and finds other errors.
 */
export class FrameLengths {
  private readonly head = Buffer.alloc(10);
  private headBytes = 0;
  /** Bytes of mask and payload that have not arrived yet. */
  private rest = 0;

  /** `limit`: bytes of a frame's payload. */
  constructor(private readonly limit: number) {}

  /**
   * Returns true when a frame that begins in these bytes is too long. Do not call it afterwards.
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

  /** The length of the payload; undefined while the head is incomplete. */
  private length(): number | undefined {
    if (this.headBytes < 2) return undefined;
    const short = (this.head[1] ?? 0) & 0x7f;
    if (short < 126) return short;
    if (short === 126) return this.headBytes < 4 ? undefined : this.head.readUInt16BE(2);
    return this.headBytes < 10 ? undefined : Number(this.head.readBigUInt64BE(2));
  }
}
