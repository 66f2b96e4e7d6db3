/**
 * Limits the number of large request bodies in memory. The other requests wait, with their bodies
 * still at the client.
 */
import type { IncomingMessage } from 'node:http';
import type { Bounds } from '../limits/limits';
import { ClientGone, hasBody } from './body';

/** Largest body, in bytes, that never waits. */
const SMALL = 256 * 1024;

/** Frees the slot; later calls have no effect. */
export type Release = () => void;

export class LargeBodies {
  private free: number;
  private readonly waiting = new Set<() => void>();

  constructor(private readonly bounds: Pick<Bounds, 'largeBodies' | 'largeBodyMs'>) {
    this.free = bounds.largeBodies;
  }

  /**
   * Resolves, in order of arrival, when a slot for the request's body is free. Call it before
   * reading the body. The slot is freed after `largeBodyMs` at the latest, so that slow clients,
   * and functions that send such requests themselves, do not block the others. Rejects with
   * ClientGone.
   */
  async acquire(request: IncomingMessage): Promise<Release> {
    if (!isLarge(request)) return () => undefined;
    if (this.free > 0) this.free--;
    else await this.wait(request);
    let isHeld = true;
    const release = () => {
      clearTimeout(timer);
      if (isHeld) this.freeSlot();
      isHeld = false;
    };
    const timer = setTimeout(release, this.bounds.largeBodyMs).unref();
    return release;
  }

  private wait(request: IncomingMessage): Promise<void> {
    return new Promise((resolve, reject) => {
      const go = () => {
        this.waiting.delete(go);
        request.off('close', gone);
        resolve();
      };
      const gone = () => {
        this.waiting.delete(go);
        reject(new ClientGone());
      };
      this.waiting.add(go);
      request.once('close', gone);
      if (request.destroyed) gone();
    });
  }

  /** Passes the slot to the request that has waited longest. */
  private freeSlot(): void {
    const [next] = this.waiting;
    if (next === undefined) this.free++;
    else next();
  }
}

/** A body of unknown length counts as large. */
function isLarge(request: IncomingMessage): boolean {
  const length = request.headers['content-length'];
  return hasBody(request) && (length === undefined || Number(length) > SMALL);
}
