/** What a link promises: how often it opens, until when, and what. */

import type { Anomalies } from '../records/anomalies';
import type { BucketHistory } from '../records/history';
import { currentThroughout, wasCurrent } from './listed';

const OFTEN = 'a link opens as often as it may, and no more';
const ENDED = 'a link that has ended does not open';
const OPEN = 'a link opens until it ends';
const OBJECT = 'a link opens the object that it was made for';

/** Clocks of functions differ by so much. */
const SKEW_MS = 100;

/** A function calls DynamoDB so often for one request: each call may count a use. */
const CALLS = 3;

export interface LinkTerms {
  readonly id: string;
  readonly key: string;
  /** The cursor of the version that it opens. Absent: that of the current one. */
  readonly cursor?: number;
  readonly maxUses?: number;
  /** Of the virtual clock. */
  readonly expiresAt: number;
}

/** When a request was sent, and when its response arrived. */
interface Duration {
  readonly from: number;
  readonly until: number;
}

export class OpenedLink {
  private requests = 0;
  private opened = 0;
  /** From then on it is certain that the link was revoked. */
  private revokedAt = Number.POSITIVE_INFINITY;
  private mayBeRevoked = false;

  constructor(
    readonly terms: LinkTerms,
    private readonly history: BucketHistory,
    private readonly anomalies: Anomalies,
  ) {}

  /** A request was sent; its response may be lost. */
  asked(): void {
    this.requests += 1;
  }

  revoking(): void {
    this.mayBeRevoked = true;
  }

  revoked(at: number): void {
    this.revokedAt = at;
  }

  /** The address of the bytes was given out. */
  wasOpened({ from }: Duration): void {
    const { id, maxUses = Number.POSITIVE_INFINITY, expiresAt } = this.terms;
    this.opened += 1;
    const what = () => `${id} was opened ${this.opened} times of ${maxUses}`;
    this.anomalies.require(OFTEN, this.opened <= maxUses, what);
    const isOpen = from < this.revokedAt && from < expiresAt + SKEW_MS;
    this.anomalies.require(ENDED, isOpen, () => `${id} was opened at ${from}, after its end`);
  }

  /** The bytes of that etag arrived. */
  gave(etag: string, { from }: Duration): void {
    const { id, key, cursor } = this.terms;
    const cursors = cursor === undefined ? (this.history.ofKey.get(key) ?? []) : [cursor];
    const isRight = cursors.some((one) => {
      const isMeant = cursor !== undefined || wasCurrent(this.history, { key, cursor: one }, from);
      return isMeant && this.etagAt(one) === etag;
    });
    const what = () => `${id} gave ${etag} for ${key} at ${cursor ?? 'its current cursor'}`;
    this.anomalies.require(OBJECT, isRight, what);
  }

  /** The service said that there is no such link. */
  wasRefused({ from, until }: Duration): void {
    const { id, key, cursor, maxUses = Number.POSITIVE_INFINITY, expiresAt } = this.terms;
    // A version may be trimmed meanwhile.
    if (cursor !== undefined || this.mayBeRevoked) return;
    const mayOpen = this.requests * CALLS <= maxUses && until < expiresAt - SKEW_MS;
    const hasObject = currentThroughout(this.history, key, { from, until }) !== undefined;
    const what = () => `${id} to ${key} did not open after ${this.requests} requests of ${maxUses}`;
    this.anomalies.require(OPEN, !mayOpen || !hasObject, what);
  }

  private etagAt(cursor: number): string | undefined {
    const entry = this.history.entry(cursor);
    return entry?.type === 'put' && entry.object.state === 'live' ? entry.object.etag : undefined;
  }
}
