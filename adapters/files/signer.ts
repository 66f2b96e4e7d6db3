import { createHmac, timingSafeEqual } from 'node:crypto';
import type { DownloadOptions, PresignedRequest } from '../../core/store/blobs';
import type { Clock } from '../../core/system';

/** What a signed URL allows. */
export interface SignedRequest {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  readonly blob: string;
  readonly multipartId?: string;
  readonly part?: number;
  /** Headers that the client must send with exactly this value, names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Headers of the response. */
  readonly response?: Omit<DownloadOptions, 'expiresIn'>;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
}

/** The path of signed URLs, below the origin. */
export const CONTENT_PATH = '/content';

/** Signs URLs of this server's content with HMAC-SHA-256, and verifies them. */
export class ContentSigner {
  /** `origin`: `https://host[:port]`. */
  constructor(
    private readonly secret: string,
    private readonly origin: string,
    private readonly clock: Pick<Clock, 'now'>,
  ) {}

  sign(
    request: Omit<SignedRequest, 'expiresAt' | 'headers'>,
    expiresIn: number,
    headers: Readonly<Record<string, string>> = {},
  ): PresignedRequest {
    const expiresAt = this.clock.now() + expiresIn * 1000;
    const claim = Buffer.from(JSON.stringify({ ...request, headers, expiresAt })).toString(
      'base64url',
    );
    const url = new URL(`${this.origin}${CONTENT_PATH}`);
    url.searchParams.set('signed', `${claim}.${this.macOf(claim)}`);
    // For people who read a log of their client: the claim decides.
    const { multipartId, part } = request;
    if (multipartId !== undefined) url.searchParams.set('uploadId', multipartId);
    if (part !== undefined) url.searchParams.set('partNumber', String(part));
    return { url: url.href, headers, expiresAt: new Date(expiresAt).toISOString() };
  }

  /** Returns the request that the value of `signed` in a URL allows, even if it has expired. */
  verify(signed: string): SignedRequest | undefined {
    const [claim = '', mac = '', ...others] = signed.split('.');
    const expected = Buffer.from(this.macOf(claim));
    const sent = Buffer.from(mac);
    if (others.length > 0 || sent.length !== expected.length) return undefined;
    if (!timingSafeEqual(sent, expected)) return undefined;
    return JSON.parse(Buffer.from(claim, 'base64url').toString());
  }

  private macOf(claim: string): string {
    return createHmac('sha256', this.secret).update(claim).digest('base64url');
  }
}
