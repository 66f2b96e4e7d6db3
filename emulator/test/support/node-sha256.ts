import { createHash, createHmac, type Hash, type Hmac } from 'node:crypto';

/** SHA-256 in the form that @smithy/signature-v4 expects of a hash. */
export class NodeSha256 {
  private readonly hash: Hash | Hmac;

  constructor(secret?: unknown) {
    this.hash =
      typeof secret === 'string' || secret instanceof Uint8Array
        ? createHmac('sha256', secret)
        : createHash('sha256');
  }

  update(data: Uint8Array): void {
    this.hash.update(data);
  }

  async digest(): Promise<Uint8Array> {
    return this.hash.digest();
  }

  reset(): void {
    throw new Error('a hash is used once');
  }
}
