/**
 * The API key with which this page uses the storage interface: created when needed, and renewed
 * before it expires.
 */
import { StowageError } from '../../../client/errors';
import type { Schemas } from './client';

type StorageSession = Schemas['Session'];

export interface SessionKeyDeps {
  readonly open: () => Promise<StorageSession>;
  readonly now: () => number;
}

/** Time between the renewal of a key and its expiry, in which running requests can finish. */
const RENEW_BEFORE_MS = 120_000;

export class SessionKey {
  readonly #deps: SessionKeyDeps;
  #current: StorageSession | undefined;
  #opening: Promise<StorageSession> | undefined;
  #hasEnded = false;

  constructor(deps: SessionKeyDeps) {
    this.#deps = deps;
  }

  /** Returns a key that does not expire soon. Throws StowageError when none can be created. */
  async get(): Promise<StorageSession> {
    const current = this.#current;
    if (current && Date.parse(current.expires_at) - this.#deps.now() > RENEW_BEFORE_MS) {
      return current;
    }
    this.#opening ??= this.#open();
    try {
      return await this.#opening;
    } catch (error) {
      // There may be no new key, for example after the sign-in has expired: the old one stays in
      // use until it expires.
      if (current && Date.parse(current.expires_at) > this.#deps.now()) return current;
      throw error;
    }
  }

  /** Drops a key that the service refused: the next `get` creates another. */
  refuse(refused: StorageSession): void {
    if (this.#current?.key_id === refused.key_id) this.#current = undefined;
  }

  /** Drops the key, after which `get` rejects. Waits for a key that is being created. */
  async end(): Promise<void> {
    this.#hasEnded = true;
    await this.#opening?.catch(() => undefined);
    this.#current = undefined;
  }

  async #open(): Promise<StorageSession> {
    if (this.#hasEnded) throw new StowageError('unauthorized', 'signed out');
    try {
      this.#current = await this.#deps.open();
      return this.#current;
    } finally {
      this.#opening = undefined;
    }
  }
}
