/** What a function is invoked with: JSON text, or JSON text and the bytes of its `body`. */
export type Payload = string | SplitPayload;

/**
 * The text of an object whose member `body` is null, and the bytes whose base64 it is to be.
 * Megabytes go to the function's thread as they are, instead of being encoded, copied and parsed on
 * the way. They are given away by it.
 */
export interface SplitPayload {
  readonly text: string;
  /** The whole of its buffer. */
  readonly body: Buffer<ArrayBuffer>;
}

/** Smaller bodies are quicker within the text. */
const WORTH_SPLITTING = 64 * 1024;

/** Whether the bytes are many, and no others are in their buffer, so that it can be given away. */
export function canSplit(body: Buffer): body is Buffer<ArrayBuffer> {
  const { buffer, length } = body;
  return length > WORTH_SPLITTING && buffer.byteLength === length && buffer instanceof ArrayBuffer;
}

/** Whether the JSON that AWS would be sent takes more bytes than that. */
export function isLarger(payload: Payload, bytes: number): boolean {
  if (typeof payload !== 'string') {
    const body = 4 * Math.ceil(payload.body.length / 3) + '""'.length - 'null'.length;
    return isLarger(payload.text, bytes - body);
  }
  // UTF-8 takes at most three bytes per UTF-16 unit: most payloads need not be measured.
  return payload.length * 3 > bytes && Buffer.byteLength(payload) > bytes;
}
