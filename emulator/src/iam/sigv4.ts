/**
 * What the verifiers of Signature Version 4 have in common: S3's and that of the other services.
 */
import { createHash, createHmac, type Hash, type Hmac, timingSafeEqual } from 'node:crypto';

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

export interface Authorization {
  /** `AKIA…/20261120/us-east-1/s3/aws4_request` */
  readonly credential: string;
  /** Lower-case names. */
  readonly signedHeaders: readonly string[];
  /** 64 hex digits. */
  readonly signature: string;
}

const AUTHORIZATION =
  /^AWS4-HMAC-SHA256\s+Credential=([^,\s]+),\s*SignedHeaders=([^,\s]+),\s*Signature=([0-9a-f]{64})$/;

/** The fields of an Authorization header; undefined when it is malformed. */
export function parseAuthorization(header: string): Authorization | undefined {
  const [, credential, signedHeaders, signature] = AUTHORIZATION.exec(header.trim()) ?? [];
  if (!credential || !signedHeaders || !signature) return undefined;
  return { credential, signedHeaders: signedHeaders.split(';'), signature };
}

/** The epoch milliseconds of `20261120T105000Z`; undefined when it is malformed. */
export function parseAmzDate(text: string): number | undefined {
  const match = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(text);
  if (match === null) return undefined;
  const [, year, month, day, hour, minute, second] = match;
  const time = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return Number.isNaN(time) ? undefined : time;
}

/** Compares two texts in a time that does not depend on where they differ. */
export function equalInConstantTime(expected: string, given: string): boolean {
  const [left, right] = [Buffer.from(expected), Buffer.from(given)];
  return left.length === right.length && timingSafeEqual(left, right);
}
