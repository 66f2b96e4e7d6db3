/**
 * Limits long polls, which wait for a change. Each waiting request occupies a function instance, so
 * a key and the service have limited slots for them.
 */
import { forbidden } from '../access/permissions';
import type { Restriction, Slots } from '../access/ports';
import { slotLimits } from '../access/slot-shares';
import { ServiceError } from '../errors';
import type { Ids, Log } from '../system';
import { type AccessDeps, mayFollow, usableKey } from './access';

/** Decides whether a request may wait, and whether it may still receive the changes afterwards. */
export interface Waiting {
  /**
   * Begins a wait until `until` (epoch milliseconds). Returns false when the request must be
   * answered at once.
   */
  begin(until: number): Promise<boolean>;
  /** Throws when the caller may no longer receive the changes. */
  check(): Promise<void>;
  /** Ends a wait for which `begin` returned true. */
  end(): Promise<void>;
}

/** The wait of a request without an API key: no slot is counted, and no key can be revoked. */
export const WAITS_FREELY: Waiting = {
  begin: async () => true,
  check: async () => undefined,
  end: async () => undefined,
};

export const NEVER_WAITS: Waiting = { ...WAITS_FREELY, begin: async () => false };

export interface LongPollDeps extends AccessDeps {
  readonly slots: Slots;
  readonly ids: Pick<Ids, 'ulid'>;
  readonly log: Log;
}

export interface LongPollRequest {
  readonly keyId: string;
  readonly generation?: number;
  /** Present for a temporary key. */
  readonly restriction?: Restriction;
  readonly bucket: string;
  readonly prefix: string;
  /** Requests that may wait at once. */
  readonly limits: { readonly key: number; readonly service: number };
}

/** Owner of the slots of the whole service. No key has this id. */
const SERVICE = '*';

/**
 * Time that a slot outlasts the wait, until the page is read. The slots of an instance that dies
 * stay taken at most this much longer.
 */
const GRACE_MS = 10_000;

/** The wait of one request with an API key. AWS calls: those of Slots, and 1 GetItem to check. */
export class LongPoll implements Waiting {
  private readonly holder: string;

  constructor(
    private readonly deps: LongPollDeps,
    private readonly request: LongPollRequest,
  ) {
    this.holder = deps.ids.ulid();
  }

  /**
   * AWS calls: 2 UpdateItem; 1 when the key has no slot left, 3 when the service has none. Up to 2
   * more for a temporary key. A page needs no slot, so a request that cannot be counted is answered
   * without a wait.
   */
  async begin(until: number): Promise<boolean> {
    const { log } = this.deps;
    const { keyId, limits } = this.request;
    for (const { of, limit } of slotLimits(this.request, limits.key)) {
      if (await this.take(of, limit, until)) continue;
      if (of === keyId) await this.releaseShare();
      return false;
    }
    try {
      if (await this.take(SERVICE, limits.service, until)) return true;
      log.info('wait_refused', { keyId, waiting: limits.service });
    } catch (error) {
      log.error('slot_not_taken', { keyId, error });
    }
    await Promise.all([this.release(keyId), this.releaseShare()]);
    return false;
  }

  /** AWS calls: 1 GetItem. Throws unauthorized, forbidden. */
  async check(): Promise<void> {
    const key = await usableKey(this.deps, this.request);
    if (!key) throw new ServiceError('unauthorized');
    const { bucket, prefix } = this.request;
    if (!mayFollow(key, this.request)) throw forbidden('sync', { bucket, prefix });
  }

  /** AWS calls: 2 UpdateItem, 3 for a temporary key. */
  async end(): Promise<void> {
    const { keyId } = this.request;
    await Promise.all([this.release(keyId), this.releaseShare(), this.release(SERVICE)]);
  }

  private async releaseShare(): Promise<void> {
    const [first] = slotLimits(this.request, 0);
    if (first?.isShare) await this.release(first.of);
  }

  /** Releases a slot. Never throws: a slot that cannot be released is free a few seconds later. */
  private async release(owner: string): Promise<void> {
    try {
      await this.deps.slots.release(owner, 'wait', this.holder);
    } catch (error) {
      this.deps.log.error('slot_not_released', { error });
    }
  }

  private take(owner: string, limit: number, until: number): Promise<boolean> {
    const { slots, clock } = this.deps;
    const request = { limit, holder: this.holder, now: clock.now(), until: until + GRACE_MS };
    return slots.take(owner, 'wait', request);
  }
}
