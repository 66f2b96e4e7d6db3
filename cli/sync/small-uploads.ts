/** Uploads small files together: those that are ready when a request may begin are one commit. */
import type {
  ObjectDescriptor,
  PutObjectChange,
  StowageClient,
  UploadedObject,
} from '../../client/index';
import { eachConcurrently } from '../shared/several';

/** Largest content that is sent together with others. */
export const SMALL_BYTES = 16 * 1024;

/** Limits of a commit: docs/api.md, "Limits". */
const MAX_CHANGES = 32;
const MAX_DESCRIPTOR_BYTES = 24 * 1024;
/** The service takes more, but a slow connection must send it within the timeout. */
const MAX_CONTENT_BYTES = 128 * 1024;

/** A descriptor without its key, as JSON. A commit that has more after all is refused. */
const DESCRIPTOR_BYTES = 600;

/** Commits at the same time: the client prepares one while the service works on another. */
const REQUESTS = 2;

/** Files that may be ready before further ones wait to be read. */
const MAX_READY = 2 * MAX_CHANGES;

export interface SmallUpload {
  readonly change: PutObjectChange & { readonly content: Uint8Array };
  /** Uploads the file by a request of its own. */
  readonly alone: () => Promise<UploadedObject>;
}

interface Ready extends SmallUpload {
  readonly resolve: (object: UploadedObject) => void;
  readonly reject: (error: unknown) => void;
}

export class SmallUploads {
  readonly #ready: Ready[] = [];
  readonly #most: number;
  #requests = 0;

  constructor(
    private readonly client: StowageClient,
    private readonly bucket: string,
    private readonly options: { readonly parallel: number; readonly signal: AbortSignal },
  ) {
    this.#most = Math.min(REQUESTS, options.parallel);
  }

  /** Whether further files need not be read yet. */
  get isFull(): boolean {
    return this.#ready.length >= MAX_READY;
  }

  /** Uploads a file, together with the others that are ready when its request begins. */
  upload(file: SmallUpload): Promise<UploadedObject> {
    return new Promise((resolve, reject) => {
      this.#ready.push({ ...file, resolve, reject });
      if (this.#requests < this.#most) void this.#sendReady();
    });
  }

  async #sendReady(): Promise<void> {
    this.#requests += 1;
    while (this.#ready.length > 0) {
      const group = this.#next();
      await (group.length > 1 ? this.#sendTogether(group) : this.#sendAlone(group));
    }
    this.#requests -= 1;
  }

  /** Takes the files of the next request. */
  #next(): readonly Ready[] {
    let [count, contents, descriptors] = [0, 0, 0];
    for (const { change } of this.#ready) {
      contents += change.content.length;
      descriptors += DESCRIPTOR_BYTES + Buffer.byteLength(JSON.stringify(change.key));
      const fits = contents <= MAX_CONTENT_BYTES && descriptors <= MAX_DESCRIPTOR_BYTES;
      if (count === MAX_CHANGES || (count > 0 && !fits)) break;
      count += 1;
    }
    return this.#ready.splice(0, count);
  }

  async #sendTogether(group: readonly Ready[]): Promise<void> {
    const { signal } = this.options;
    const changes = group.map(({ change }) => change);
    const made = await this.client.commit(this.bucket, changes, { signal }).catch(() => undefined);
    // One of the files may be the reason of a failure, and must not fail the others.
    if (!made) return this.#sendAlone(group);
    for (const [index, { resolve }] of group.entries()) {
      resolve(made.changes[index] as ObjectDescriptor);
    }
  }

  #sendAlone(group: readonly Ready[]): Promise<void> {
    const parallel = Math.ceil(this.options.parallel / this.#most);
    return eachConcurrently(group, parallel, ({ alone, resolve, reject }) =>
      alone().then(resolve, reject),
    );
  }
}
