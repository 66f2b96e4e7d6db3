/** Which parts of an upload S3 has, and how many bytes were sent. */
import { rangeOfPart } from './parts';
import type { ResumeStore, SavedUpload } from './saved-upload';

export class PartProgress {
  readonly #resume: ResumeStore | undefined;
  readonly #onProgress: (sent: number) => void;
  readonly #upload: Omit<SavedUpload, 'etags'>;
  readonly #etags: Map<number, string>;
  readonly #sending = new Map<number, number>();
  /** Bytes of the parts that S3 has. */
  #stored: number;
  #saving: Promise<void> = Promise.resolve();

  constructor(
    { etags, ...upload }: SavedUpload,
    resume: ResumeStore | undefined,
    onProgress: (sent: number) => void,
  ) {
    this.#resume = resume;
    this.#onProgress = onProgress;
    this.#upload = upload;
    this.#etags = new Map(Object.entries(etags).map(([number, etag]) => [Number(number), etag]));
    this.#stored = [...this.#etags.keys()].reduce((sum, each) => sum + this.#sizeOf(each), 0);
  }

  has(number: number): boolean {
    return this.#etags.has(number);
  }

  /** Returns the etags of all parts, in order. */
  etags(count: number): readonly string[] {
    return Array.from({ length: count }, (_, index) => this.#etags.get(index + 1) ?? '');
  }

  sending(number: number, bytes: number): void {
    this.#sending.set(number, bytes);
    this.#report();
  }

  failed(number: number): void {
    this.#sending.delete(number);
  }

  /** Records that S3 has the part, and saves it. */
  async sent(number: number, etag: string): Promise<void> {
    this.#sending.delete(number);
    this.#etags.set(number, etag);
    this.#stored += this.#sizeOf(number);
    await this.save();
    this.#report();
  }

  /** Saves one state after the other, so that an older one never replaces a newer one. */
  async save(): Promise<void> {
    const resume = this.#resume;
    if (!resume) return;
    this.#saving = this.#saving.then(() =>
      resume.save({ ...this.#upload, etags: Object.fromEntries(this.#etags) }),
    );
    await this.#saving;
  }

  #sizeOf(number: number): number {
    const { from, to } = rangeOfPart(this.#upload, number);
    return to - from;
  }

  #report(): void {
    this.#onProgress([...this.#sending.values()].reduce((sum, bytes) => sum + bytes, this.#stored));
  }
}
