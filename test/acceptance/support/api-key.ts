/**
 * The format of API keys: `osk_<id>_<secret>_<crc>`, the last part a CRC-32 of what stands before
 * it, in base62.
 */
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

function crc32(text: string): number {
  let crc = 0xffffffff;
  for (const byte of Buffer.from(text)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return (crc ^ 0xffffffff) >>> 0;
}

/** Returns a forged key: well-formed, with a correct checksum. */
export function forgeKey(id: string, secret: string): string {
  const text = `osk_${id}_${secret}`;
  let rest = crc32(text);
  let checksum = '';
  for (let n = 0; n < 6; n++) {
    checksum = BASE62[rest % 62] + checksum;
    rest = Math.floor(rest / 62);
  }
  return `${text}_${checksum}`;
}
