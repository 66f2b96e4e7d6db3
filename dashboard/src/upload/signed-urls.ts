/**
 * The signed URLs of an upload, which live for an hour: asked for anew when the store does not take
 * them any more.
 */
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
   * The store's clock is what counts, so nothing is asked for before it has refused. New URLs that
   * it refuses are its last word.
   */
  async use<T>(work: (upload: PartedUpload) => Promise<T>): Promise<T> {
    const used = this.#upload;
    try {
      return await work(used);
    } catch (error) {
      if (!(error instanceof PartError) || error.failure !== 'expired') throw error;
    }
    if (this.#upload === used) {
      // Many parts are under way, and find out at the same time.
      this.#renewing ??= this.#ask();
      await this.#renewing;
    }
    return work(this.#upload);
  }

  async #ask(): Promise<void> {
    try {
      this.#upload = await this.#renew(this.#upload);
    } finally {
      this.#renewing = undefined;
    }
  }
}
