import { CONTENT_HEADERS } from '../../../../core/http/content-headers';
import type { DownloadOptions } from '../../../../core/store/blobs';
import type { Clock } from '../../../../core/system';
import type { FakeState } from '../state';
import {
  lastModifiedAt,
  md5,
  type OpenMultipart,
  ofParts,
  sha256,
  UNNAMED_TYPE,
} from '../stored-blob';

const METADATA = 'x-amz-meta-';
const ORIGIN = 'https://s3.fake.invalid/?signed=';

/** What a presigned URL of the fake says; the real one says the same in SigV4. */
export interface SignedRequest {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  readonly blob: string;
  readonly multipartId?: string;
  readonly part?: number;
  /** Headers that the client must send with exactly this value. */
  readonly headers: Readonly<Record<string, string>>;
  readonly response?: Omit<DownloadOptions, 'expiresIn'>;
  /** ISO 8601 UTC. */
  readonly expiresAt: string;
}

export interface S3Response {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export function fakeUrl(request: SignedRequest): string {
  const claim = Buffer.from(JSON.stringify(request)).toString('base64url');
  return `${ORIGIN}${claim}.${md5(Buffer.from(claim))}`;
}

/** Serves presigned requests as S3 does, for tests that act as the client. */
export class FakeS3 {
  constructor(
    private readonly state: FakeState,
    private readonly clock: Clock,
  ) {}

  /** `headers` have lower-case names; content-length is that of `body`. */
  async request(
    method: string,
    url: string,
    headers: Readonly<Record<string, string>> = {},
    body: Uint8Array = Buffer.alloc(0),
  ): Promise<S3Response> {
    const [claim = '', signature] = url.slice(ORIGIN.length).split('.');
    if (!url.startsWith(ORIGIN) || signature !== md5(Buffer.from(claim))) {
      return s3Response(403, 'SignatureDoesNotMatch');
    }
    const signed: SignedRequest = JSON.parse(Buffer.from(claim, 'base64url').toString());
    const sent: Record<string, string> = { ...headers, 'content-length': String(body.length) };
    const same = Object.entries(signed.headers).every(([name, value]) => sent[name] === value);
    if (method !== signed.method || !same) return s3Response(403, 'SignatureDoesNotMatch');
    const unsigned = Object.keys(headers).some(
      (name) => name.startsWith('x-amz-') && !(name in signed.headers),
    );
    if (unsigned) return s3Response(403, 'AccessDenied');
    if (this.clock.now() >= Date.parse(signed.expiresAt)) return s3Response(403, 'AccessDenied');
    if (signed.method === 'GET') return this.read(signed);
    return signed.multipartId === undefined
      ? this.write(signed, sent, Buffer.from(body))
      : this.multipart(signed, signed.multipartId, Buffer.from(body));
  }

  private read({ blob, response }: SignedRequest): S3Response {
    const stored = this.state.blobs.get(blob);
    if (stored === undefined) return s3Response(404, 'NoSuchKey');
    const headers = {
      ...stored.headers,
      etag: `"${stored.etag}"`,
      'content-type': stored.contentType,
      ...Object.fromEntries(
        Object.entries(response ?? {}).map(([name, value]) => [
          name.replace(/[A-Z]/, (letter) => `-${letter.toLowerCase()}`),
          value,
        ]),
      ),
    };
    return { status: 200, headers, body: stored.bytes };
  }

  private write(
    { blob }: SignedRequest,
    sent: Readonly<Record<string, string>>,
    bytes: Buffer,
  ): S3Response {
    const checksumSha256 = sent['x-amz-checksum-sha256'];
    if (this.state.blobs.has(blob)) return s3Response(412, 'PreconditionFailed');
    if (checksumSha256 !== undefined && checksumSha256 !== sha256(bytes)) {
      return s3Response(400, 'BadDigest');
    }
    this.store(blob, {
      bytes,
      etag: md5(bytes),
      contentType: sent['content-type'] ?? UNNAMED_TYPE,
      headers: Object.fromEntries(
        Object.entries(sent).filter(([name]) => CONTENT_HEADERS.some((known) => known === name)),
      ),
      metadata: Object.fromEntries(
        Object.entries(sent).flatMap(([name, value]) =>
          name.startsWith(METADATA) ? [[name.slice(METADATA.length), value]] : [],
        ),
      ),
      ...(checksumSha256 !== undefined && { checksumSha256 }),
    });
    return s3Response(200, '', { etag: `"${md5(bytes)}"` });
  }

  private multipart(signed: SignedRequest, id: string, body: Buffer): S3Response {
    const upload = this.state.multiparts.get(id);
    if (upload === undefined || upload.blob !== signed.blob) return s3Response(404, 'NoSuchUpload');
    if (signed.method === 'DELETE') {
      this.state.multiparts.delete(id);
      return s3Response(204, '');
    }
    if (signed.part === undefined) return this.complete(upload, id, body.toString());
    upload.parts.set(signed.part, body);
    return s3Response(200, '', { etag: `"${md5(body)}"` });
  }

  private complete(
    { blob, contentType, headers, metadata, parts }: OpenMultipart,
    id: string,
    xml: string,
  ): S3Response {
    if (this.state.blobs.has(blob)) return s3Response(412, 'PreconditionFailed');
    const numbers = [...xml.matchAll(/<PartNumber>(\d+)<\/PartNumber>/g)].map(([, n]) => Number(n));
    const named = numbers.map((number) => parts.get(number));
    const bodies = named.filter((part) => part !== undefined);
    if (bodies.length === 0 || bodies.length < named.length) return s3Response(400, 'InvalidPart');
    const joined = ofParts(bodies);
    const { etag } = joined;
    this.store(blob, { ...joined, contentType, headers, metadata });
    this.state.multiparts.delete(id);
    return s3Response(
      200,
      `<CompleteMultipartUploadResult><ETag>"${etag}"</ETag></CompleteMultipartUploadResult>`,
    );
  }

  private store(
    blob: string,
    stored: {
      readonly bytes: Buffer;
      readonly etag: string;
      readonly contentType: string;
      readonly headers: Readonly<Record<string, string>>;
      readonly metadata: Readonly<Record<string, string>>;
      readonly checksumSha256?: string;
    },
  ): void {
    const lastModified = lastModifiedAt(this.clock);
    this.state.blobs.set(blob, { ...stored, lastModified });
  }
}

function s3Response(
  status: number,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): S3Response {
  return { status, headers, body: Buffer.from(text) };
}
