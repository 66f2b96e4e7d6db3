/**
 * The signed URLs of an upload in parts. They expire within the hour, and are then signed again.
 */
import { StowageError } from '../errors';
import type { Http } from '../http';
import { isRecord } from '../resources';
import { ExpiredUrl } from './send-part';

interface SignedRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** An upload in parts, as the service has signed it. */
export interface SignedUpload {
  readonly upload_id: string;
  /** Bytes of each part but the last one. */
  readonly part_size: number;
  readonly parts: readonly { readonly number: number; readonly url: string }[];
  readonly complete: SignedRequest;
  readonly abort: SignedRequest;
}

export interface UploadTarget {
  readonly bucket: string;
  readonly key: string;
}

/** The longest time for which the service signs. */
const EXPIRES_SECONDS = 3600;

/** `fields`: of the request for a signed URL, besides the target. */
export async function signUpload(
  http: Http,
  { bucket, key }: UploadTarget,
  fields: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
): Promise<SignedUpload> {
  const body = { bucket, key, method: 'PUT', expires_in: EXPIRES_SECONDS, ...fields };
  const response = await http.post('signed-url', body, { signal, isRepeatable: true });
  if (isSignedUpload(response)) return response;
  throw new StowageError('invalid_answer', 'the response of the service is not an upload in parts');
}

function isSignedUpload(value: unknown): value is SignedUpload {
  if (!isRecord(value) || typeof value.upload_id !== 'string') return false;
  const { part_size: partSize, parts, complete, abort } = value;
  if (typeof partSize !== 'number' || !isRecord(complete) || !isRecord(abort)) return false;
  return Array.isArray(parts) && parts.every((part) => isRecord(part) && isUrl(part.url));
}

function isUrl(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

export class SignedParts {
  #current: SignedUpload;
  readonly #sign: () => Promise<SignedUpload>;
  #signing: Promise<void> | undefined;

  /** `sign`: signs the same upload again. */
  constructor(current: SignedUpload, sign: () => Promise<SignedUpload>) {
    this.#current = current;
    this.#sign = sign;
  }

  /**
   * Calls `work`, and again with new URLs when S3 refuses the URLs. The clock of S3 decides, so
   * they are not signed again earlier. Throws ExpiredUrl when S3 refuses the new ones too.
   */
  async use<T>(work: (current: SignedUpload) => Promise<T>): Promise<T> {
    const used = this.#current;
    try {
      return await work(used);
    } catch (error) {
      if (!(error instanceof ExpiredUrl)) throw error;
    }
    if (this.#current === used) await this.signAgain();
    return work(this.#current);
  }

  signAgain(): Promise<void> {
    // Parts are sent concurrently: the first one that is refused signs for all.
    this.#signing ??= this.#sign()
      .then((signed) => {
        this.#current = signed;
      })
      .finally(() => {
        this.#signing = undefined;
      });
    return this.#signing;
  }
}
