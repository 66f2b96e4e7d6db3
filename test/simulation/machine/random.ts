/**
 * Random numbers that a seed determines. Each actor has its own, so that one more draw of one actor
 * changes no other.
 */

export class SeededRandom {
  private a: number;
  private b: number;
  private c: number;
  private counter = 1;
  /** How many numbers were drawn: names each of them. */
  draws = 0;

  constructor(
    readonly seed: number,
    readonly name: string,
  ) {
    this.a = seed | 0;
    this.b = hashOf(name);
    this.c = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b);
    for (let i = 0; i < 12; i++) this.next();
    this.draws = 0;
  }

  /** Uniform in [0, 1): sfc32 of PractRand. */
  next(): number {
    this.draws += 1;
    const t = (((this.a + this.b) | 0) + this.counter) | 0;
    this.counter = (this.counter + 1) | 0;
    this.a = this.b ^ (this.b >>> 9);
    this.b = (this.c + (this.c << 3)) | 0;
    this.c = (this.c << 21) | (this.c >>> 11);
    this.c = (this.c + t) | 0;
    return (t >>> 0) / 4294967296;
  }

  /** A whole number in [from, to]. */
  between(from: number, to: number): number {
    return from + Math.floor(this.next() * (to - from + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(list: readonly T[]): T {
    const picked = list[Math.floor(this.next() * list.length)];
    if (picked === undefined) throw new RangeError('nothing to pick from');
    return picked;
  }

  bytes(length: number): Uint8Array {
    return Uint8Array.from({ length }, () => Math.floor(this.next() * 256));
  }
}

/** FNV-1a, 32 bits. */
export function hashOf(text: string, start = 0x811c9dc5): number {
  let hash = start;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash;
}
