/**
 * The API key by which this page uses the storage interface as any client does: made when needed,
 * renewed in time.
 */
import type { Schemas } from '../api/client';

type StorageSession = Schemas['Session'];

export interface SessionKeyDeps {
  readonly open: () => Promise<StorageSession>;
  readonly now: () => number;
}

/** Renewed so long before it ends: what has been started with it may finish. */
const RENEW_BEFORE_MS = 120_000;

export class SessionKey {
  readonly #deps: SessionKeyDeps;
  #current: StorageSession | undefined;
  #opening: Promise<StorageSession> | undefined;

  constructor(deps: SessionKeyDeps) {
    this.#deps = deps;
  }

  /** A key that is good for some time yet. Throws StowageError when none can be had. */
  async get(): Promise<StorageSession> {
    const current = this.#current;
    if (current && Date.parse(current.expires_at) - this.#deps.now() > RENEW_BEFORE_MS) {
      return current;
    }
    this.#opening ??= this.#open();
    try {
      return await this.#opening;
    } catch (error) {
      // Nothing new to be had, as at the end of a sign-in: the old one is good to its last second.
      if (current && Date.parse(current.expires_at) > this.#deps.now()) return current;
      throw error;
    }
  }

  /** The service did not accept it: the next one who asks gets another. */
  refuse(refused: StorageSession): void {
    if (this.#current?.key_id === refused.key_id) this.#current = undefined;
  }

  /** Gives it up. Answers its id, so that it can be revoked. */
  forget(): string | undefined {
    const id = this.#current?.key_id;
    this.#current = undefined;
    return id;
  }

  async #open(): Promise<StorageSession> {
    try {
      this.#current = await this.#deps.open();
      return this.#current;
    } finally {
      this.#opening = undefined;
    }
  }
}
