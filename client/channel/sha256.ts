/**
 * SHA-256 (FIPS 180-4), computed synchronously. Web Crypto hashes asynchronously, and in browsers
 * only on secure origins.
 */

/** The first 32 bits of the fractional parts of the roots of the first 64 primes. */
const ROOTS: { readonly square: number[]; readonly cube: number[] } = { square: [], cube: [] };
for (let n = 2; ROOTS.cube.length < 64; n++) {
  let isPrime = true;
  for (let divisor = 2; divisor * divisor <= n; divisor++) isPrime &&= n % divisor !== 0;
  if (!isPrime) continue;
  ROOTS.square.push(((n ** (1 / 2) % 1) * 2 ** 32) | 0);
  ROOTS.cube.push(((n ** (1 / 3) % 1) * 2 ** 32) | 0);
}

const rotate = (word: number, by: number) => (word >>> by) | (word << (32 - by));

export function sha256(message: Uint8Array): Uint8Array {
  const blocks = Math.ceil((message.length + 9) / 64);
  const padded = new Uint8Array(blocks * 64);
  padded.set(message);
  padded[message.length] = 0x80;
  const words = new DataView(padded.buffer);
  words.setBigUint64(padded.length - 8, BigInt(message.length) * 8n);
  const hash = Int32Array.from(ROOTS.square.slice(0, 8));
  for (let block = 0; block < blocks; block++) compress(hash, words, block * 64);
  const result = new DataView(new ArrayBuffer(32));
  for (const [index, word] of hash.entries()) result.setInt32(index * 4, word);
  return new Uint8Array(result.buffer);
}

/** FIPS 180-4 §6.2.2, with its names. */
function compress(hash: Int32Array, words: DataView, at: number): void {
  const w = new Int32Array(64);
  const word = (index: number) => w[index] ?? 0;
  for (let t = 0; t < 64; t++) {
    if (t < 16) {
      w[t] = words.getInt32(at + t * 4);
      continue;
    }
    const [x, y] = [word(t - 15), word(t - 2)];
    const small0 = rotate(x, 7) ^ rotate(x, 18) ^ (x >>> 3);
    const small1 = rotate(y, 17) ^ rotate(y, 19) ^ (y >>> 10);
    w[t] = word(t - 16) + small0 + word(t - 7) + small1;
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = hash;
  for (let t = 0; t < 64; t++) {
    const big1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const t1 = (h + big1 + ((e & f) ^ (~e & g)) + (ROOTS.cube[t] ?? 0) + word(t)) | 0;
    const big0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
    const t2 = (big0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + t1) | 0, c, b, a, (t1 + t2) | 0];
  }
  [a, b, c, d, e, f, g, h].forEach((value, index) => {
    hash[index] = (hash[index] ?? 0) + value;
  });
}
