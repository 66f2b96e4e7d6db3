/** The payload of an invocation: JSON text, or JSON text and the bytes of its `body`. */
export type Payload = string | SplitPayload;

/**
 * The text of an object whose member `body` is null, and the bytes that become `body` in base64.
 * The bytes are transferred to the thread of the function, which saves encoding, copying and
 * parsing.
 */
export interface SplitPayload {
  readonly text: string;
  /** The whole of its buffer. */
  readonly body: Buffer<ArrayBuffer>;
}

/** Smaller bodies are faster as a part of the text. */
const WORTH_SPLITTING = 64 * 1024;

/**
 * Reports whether the body is large and fills its buffer, so that the buffer can be transferred.
 */
export function canSplit(body: Buffer): body is Buffer<ArrayBuffer> {
  const { buffer, length } = body;
  return length > WORTH_SPLITTING && buffer.byteLength === length && buffer instanceof ArrayBuffer;
}

/** Reports whether the JSON text, with the body in base64, has more than `bytes` bytes. */
export function isLarger(payload: Payload, bytes: number): boolean {
  if (typeof payload !== 'string') {
    const body = 4 * Math.ceil(payload.body.length / 3) + '""'.length - 'null'.length;
    return isLarger(payload.text, bytes - body);
  }
  // UTF-8 has at most three bytes per UTF-16 unit, so most payloads need not be encoded.
  return payload.length * 3 > bytes && Buffer.byteLength(payload) > bytes;
}
