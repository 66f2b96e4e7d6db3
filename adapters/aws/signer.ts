import { createHash, createHmac, type Hash, type Hmac } from 'node:crypto';
import { SignatureV4 } from '@smithy/signature-v4';
import { type Credentials, environmentCredentials } from './environment';

export interface SignerOptions {
  /** The name in the signature's scope: `dynamodb`, `s3`. */
  readonly service: string;
  readonly region: string;
  /** Asked before each signature. Default: the environment's. */
  readonly credentials?: () => Credentials;
  /** Whether the path is encoded once more for the signature: by every service but S3. */
  readonly uriEscapePath?: boolean;
}

/**
 * Signs URLs (`presign`) with SigV4; request-signature.ts signs requests. It is the signer of the
 * SDK, which keeps the derived keys; the hashes are Node.js's. It uses the clock as it is, without
 * the SDK's correction by the `Date` of responses: a function's clock is Lambda's, and so AWS's.
 */
export function createSigner(options: SignerOptions): SignatureV4 {
  const { service, region, credentials = environmentCredentials, uriEscapePath = true } = options;
  return new SignatureV4({
    service,
    region,
    credentials: async () => credentials(),
    uriEscapePath,
    sha256: Sha256,
  });
}

type Bytes = string | ArrayBuffer | ArrayBufferView;

/** The SDK's interface of hashes on node:crypto. */
class Sha256 {
  private hash: Hash | Hmac;

  constructor(private readonly secret?: Bytes) {
    this.hash = this.begin();
  }

  update(data: Uint8Array): void {
    this.hash.update(data);
  }

  async digest(): Promise<Uint8Array> {
    return this.hash.digest();
  }

  reset(): void {
    this.hash = this.begin();
  }

  private begin(): Hash | Hmac {
    if (this.secret === undefined) return createHash('sha256');
    return createHmac('sha256', bytes(this.secret));
  }
}

function bytes(data: Bytes): string | Uint8Array {
  if (typeof data === 'string') return data;
  if (data instanceof ArrayBuffer) return new Uint8Array(data);
  return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
}
