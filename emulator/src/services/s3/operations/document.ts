import type { Call } from '../calls/call';
import { type PayloadLimits, receivePayload } from '../payload/payload';
import { parseXml } from '../protocol/xml';

/**
 * Bytes: the largest documents are 10,000 parts with checksums, and 1,000 keys of 1,024 bytes that
 * are written as character references.
 */
const MAX_DOCUMENT = 8 * 1024 ** 2;

/** Receives an XML body and returns the children of its root element. Throws MalformedXML. */
export async function receiveDocument(
  call: Call,
  root: string,
  limits: Omit<PayloadLimits, 'maxBytes'>,
): Promise<Record<string, unknown>> {
  const pieces: Buffer[] = [];
  await receivePayload(call, (bytes) => void pieces.push(bytes), {
    maxBytes: MAX_DOCUMENT,
    ...limits,
  });
  return parseXml(Buffer.concat(pieces), root);
}
