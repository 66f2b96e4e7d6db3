/**
 * Parts that the two verifiers of Signature Version 4 share: that of S3 and that of the other
 * services.
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { getCanonicalQuery } from '@smithy/signature-v4';
import { RecentMap } from './recent-map';

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

/** AWS's percent-encoding: everything but `A-Z a-z 0-9 - . _ ~`. */
export function encodeSegment(segment: string): string {
  return encodeURIComponent(segment).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

export interface CanonicalParts {
  readonly method: string;
  /** As the service canonicalises it. */
  readonly path: string;
  /** Decoded names and values. */
  readonly query: Readonly<Record<string, string | readonly string[]>>;
  /** The signed headers by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly payloadHash: string;
}

export function canonicalRequest(parts: CanonicalParts): string {
  const { method, path, headers, payloadHash } = parts;
  const names = Object.keys(headers).sort();
  const lines = names.map((name) => `${name}:${canonicalValue(headers[name] ?? '')}\n`);
  return `${method}\n${path}\n${canonicalQuery(parts)}\n${lines.join('')}\n${names.join(';')}\n${payloadHash}`;
}

function canonicalQuery({ method, path, query }: CanonicalParts): string {
  const names = Object.keys(query);
  if (names.length === 0) return '';
  // Without a prototype, because clients choose the names.
  const copy: Record<string, string[]> = Object.create(null);
  for (const name of names) copy[name] = [query[name] ?? []].flat();
  return getCanonicalQuery({ method, path, query: copy, headers: {}, protocol: '', hostname: '' });
}

/** Without white space at the ends, and with one space for several. */
function canonicalValue(value: string): string {
  return /[\r\n\t]| {2}|^ | $/.test(value) ? value.replace(/[\r\n\t ]+/g, ' ').trim() : value;
}

export function textToSign(date: string, scope: string, request: string): string {
  const hash = createHash('sha256').update(request).digest('hex');
  return `AWS4-HMAC-SHA256\n${date}\n${scope}\n${hash}`;
}

/** The number of keys to keep: enough for all roles for a day or two. */
const KEPT_KEYS = 200;

/** Derives the keys that sign, and keeps them: an access key has one for each day. */
export class SigningKeys {
  private readonly kept = new RecentMap<string, Buffer>(KEPT_KEYS);

  constructor(
    private readonly region: string,
    /** The name in signatures: `dynamodb`, `execute-api`. */
    private readonly service: string,
  ) {}

  /** `day`: eight digits. */
  key(secretAccessKey: string, day: string): Buffer {
    const name = `${day}${secretAccessKey}`;
    const kept = this.kept.get(name);
    if (kept !== undefined) return kept;
    const key = [day, this.region, this.service, 'aws4_request'].reduce(
      (secret, part) => createHmac('sha256', secret).update(part).digest(),
      Buffer.from(`AWS4${secretAccessKey}`),
    );
    return this.kept.set(name, key);
  }

  /** `20261120/us-east-1/s3/aws4_request` */
  scope(day: string): string {
    return `${day}/${this.region}/${this.service}/aws4_request`;
  }
}

/** Compares two texts in a time that does not depend on where they differ. */
export function equalInConstantTime(expected: string, given: string): boolean {
  const [left, right] = [Buffer.from(expected), Buffer.from(given)];
  return left.length === right.length && timingSafeEqual(left, right);
}
