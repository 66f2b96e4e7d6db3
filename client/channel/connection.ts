/** Joins the channel's rules to real sockets and timers. */
import { StowageError } from '../errors';
import { Channel, type ConnectionLoss, type Output } from './channel';
import type { SubscriptionEvent } from './events';
import type { Follower } from './follower';
import type { WebSocketLike } from './web-socket';

export interface ConnectionDeps {
  /** Begins a handshake. Throws what came instead of a ticket. */
  readonly open: () => WebSocketLike | Promise<WebSocketLike>;
  readonly emit: (event: SubscriptionEvent) => void;
  /** All buckets have ended, or (with `error`) nothing can be followed any more. */
  readonly finished: (error?: unknown) => void;
  /**
   * A handshake failed, and a WebSocket does not say why: finds out, and perhaps follows by other
   * means for a while. Throws when nothing can be followed any more.
   */
  readonly refused: (reason: StowageError | undefined) => Promise<void>;
  readonly now: () => number;
  readonly random: () => number;
}

/** setTimeout counts in 32 bits. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export class Connection {
  readonly #channel: Channel;
  readonly #followers: readonly Follower[];
  readonly #deps: ConnectionDeps;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #socket: WebSocketLike | undefined;
  /** Counts the attempts: what an earlier one still has to say is not heard. */
  #attempt = 0;
  #isRefused = false;
  #isStopped = false;

  constructor(followers: readonly Follower[], deps: ConnectionDeps) {
    this.#followers = followers;
    this.#deps = deps;
    this.#channel = new Channel(followers, deps.random);
  }

  start(): void {
    this.#perform(this.#channel.start(this.#deps.now()));
  }

  pause(): void {
    this.#channel.pause();
  }

  resume(): void {
    if (!this.#isStopped) this.#perform(this.#channel.resume(this.#deps.now()));
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    this.#leave(1000, 'done');
  }

  #perform(outputs: readonly Output[]): void {
    for (const output of outputs) {
      if (this.#isStopped) return;
      switch (output.type) {
        case 'connect':
          void this.#connect();
          break;
        case 'send':
          this.#socket?.send(output.text);
          break;
        case 'close':
          this.#leave(output.code, output.reason);
          break;
        case 'event':
          this.#deps.emit(output.event);
          break;
        default:
          this.stop();
          this.#deps.finished(output.type === 'failed' ? output.error : undefined);
      }
    }
    this.#schedule();
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    // While a refusal is looked into, that takes the time it takes.
    if (this.#isStopped || this.#isRefused) return;
    const now = this.#deps.now();
    const wait = Math.max(0, Math.ceil(this.#channel.wakeAt(now) - now));
    if (wait === Number.POSITIVE_INFINITY) return;
    const tick = () => this.#perform(this.#channel.tick(this.#deps.now()));
    this.#timer = setTimeout(tick, Math.min(wait, LONGEST_TIMER_MS));
  }

  async #connect(): Promise<void> {
    this.#attempt += 1;
    const attempt = this.#attempt;
    const isCurrent = () => attempt === this.#attempt && !this.#isStopped;
    try {
      const socket = await this.#deps.open();
      if (isCurrent()) this.#listen(socket, isCurrent);
      else closeQuietly(socket, 1000, 'too late');
    } catch (error) {
      if (isCurrent()) await this.#lookInto(error instanceof StowageError ? error : undefined);
    }
  }

  #listen(socket: WebSocketLike, isCurrent: () => boolean): void {
    this.#socket = socket;
    let isOpen = false;
    const hear = (react: () => void) => {
      if (isCurrent()) react();
    };
    const { now } = this.#deps;
    socket.addEventListener('open', () =>
      hear(() => {
        isOpen = true;
        this.#perform(this.#channel.opened(now()));
      }),
    );
    socket.addEventListener('message', ({ data }) =>
      hear(() => {
        if (typeof data === 'string') this.#perform(this.#channel.received(now(), data));
      }),
    );
    const gone = (loss: ConnectionLoss) =>
      hear(() => {
        this.#attempt += 1;
        this.#socket = undefined;
        if (isOpen || loss.code === 4401) this.#perform(this.#channel.closed(now(), loss));
        else void this.#lookInto(undefined);
      });
    socket.addEventListener('close', ({ code, reason }) => gone({ code, reason }));
    // Some follow an error with `close`, some do not.
    socket.addEventListener('error', () => gone({ reason: 'the connection failed' }));
  }

  async #lookInto(reason: StowageError | undefined): Promise<void> {
    this.#isRefused = true;
    clearTimeout(this.#timer);
    try {
      await this.#deps.refused(reason);
    } catch (error) {
      this.stop();
      this.#deps.finished(error);
    }
    this.#isRefused = false;
    if (this.#isStopped) return;
    if (this.#followers.every((follower) => follower.hasEnded)) {
      this.stop();
      this.#deps.finished();
      return;
    }
    this.#perform(this.#channel.closed(this.#deps.now(), { reason: reason?.message }));
  }

  #leave(code: number, reason: string): void {
    this.#attempt += 1;
    if (this.#socket) closeQuietly(this.#socket, code, reason);
    this.#socket = undefined;
  }
}

function closeQuietly(socket: WebSocketLike, code: number, reason: string): void {
  try {
    // At most 123 bytes of UTF-8 are allowed.
    socket.close(code, reason.slice(0, 40));
  } catch {
    // 1001 and the like are for servers only.
    socket.close();
  }
}
