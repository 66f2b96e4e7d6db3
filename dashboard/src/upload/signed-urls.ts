/** The signed URLs of an upload. They expire after an hour and are renewed when S3 refuses them. */
import type { PartedUpload } from './plan';
import { PartError } from './send-part';

export class SignedUrls {
  #upload: PartedUpload;
  readonly #renew: (upload: PartedUpload) => Promise<PartedUpload>;
  #renewing: Promise<void> | undefined;

  constructor(upload: PartedUpload, renew: (upload: PartedUpload) => Promise<PartedUpload>) {
    this.#upload = upload;
    this.#renew = renew;
  }

  get upload(): PartedUpload {
    return this.#upload;
  }

  /**
   * Calls `work`, and again with new URLs when S3 refuses the URLs as expired. S3's clock decides,
   * so the URLs are not renewed earlier. Throws the PartError when S3 refuses the new URLs too.
   */
  async use<T>(work: (upload: PartedUpload) => Promise<T>): Promise<T> {
    const used = this.#upload;
    try {
      return await work(used);
    } catch (error) {
      if (!(error instanceof PartError) || error.failure !== 'expired') throw error;
    }
    if (this.#upload === used) await this.renew();
    return work(this.#upload);
  }

  /** Has the URLs signed again, with the key that the page uses now. Throws what that throws. */
  renew(): Promise<void> {
    // Several parts are sent concurrently: the first refusal renews the URLs for all.
    this.#renewing ??= this.#renewOnce();
    return this.#renewing;
  }

  async #renewOnce(): Promise<void> {
    try {
      this.#upload = await this.#renew(this.#upload);
    } finally {
      this.#renewing = undefined;
    }
  }
}
