/**
 * Large request bodies are taken in a few at a time: those that wait stay with their clients, not
 * in memory.
 */
import type { IncomingMessage } from 'node:http';
import type { Bounds } from '../limits';
import { ClientGone, hasBody } from './body';

/** Bytes up to which nobody waits. */
const SMALL = 256 * 1024;

/** Gives the place back; later calls do nothing. */
export type Leave = () => void;

export class LargeBodies {
  private free: number;
  private readonly waiting = new Set<() => void>();

  constructor(private readonly bounds: Pick<Bounds, 'largeBodies' | 'largeBodyMs'>) {
    this.free = bounds.largeBodies;
  }

  /**
   * Resolves in turn, once there is a place for the request's body: before any of it is read. The
   * place is given back by itself after a while, so that slow clients, and functions that send such
   * requests in turn, hold nobody up for ever. Rejects with ClientGone.
   */
  async enter(request: IncomingMessage): Promise<Leave> {
    if (!isLarge(request)) return () => undefined;
    if (this.free > 0) this.free--;
    else await this.turn(request);
    let here = true;
    const leave = () => {
      clearTimeout(timer);
      if (here) this.release();
      here = false;
    };
    const timer = setTimeout(leave, this.bounds.largeBodyMs).unref();
    return leave;
  }

  private turn(request: IncomingMessage): Promise<void> {
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

  /** Whoever has waited longest takes over the place. */
  private release(): void {
    const [next] = this.waiting;
    if (next === undefined) this.free++;
    else next();
  }
}

/** A body of unknown length may become large. */
function isLarge(request: IncomingMessage): boolean {
  const length = request.headers['content-length'];
  return hasBody(request) && (length === undefined || Number(length) > SMALL);
}
