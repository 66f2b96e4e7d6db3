/**
 * Follows a group of buckets over WebSockets, one at a time: connects ChannelProtocol to sockets
 * and timers. While no WebSocket opens, it follows by long polling or finds out why.
 */
import { StowageError } from '../errors';
import { ChannelProtocol, type ConnectionLoss, type Output } from './channel-protocol';
import type { LogPosition } from './log-position';
import { checkAccess, endOnPermanentError, type PollDeps, poll } from './poll';
import type { OpenWebSocket, WebSocketLike } from './web-socket';

export interface WebSocketTransportDeps extends PollDeps {
  readonly openWebSocket: OpenWebSocket;
  /** Whether requests over HTTP are possible: without a key there are only tickets. */
  readonly canPoll: boolean;
  /** Whether to follow by long polling while no WebSocket opens. */
  readonly pollsWhileRefused: boolean;
  /** Returns an address that opens one channel, where a handshake cannot carry the key. */
  readonly ticket: ((wanted: { bucket: string; prefix: string }) => Promise<string>) | undefined;
  /** All buckets have ended, or (with `error`) nothing can be followed any more. */
  readonly finished: (error?: unknown) => void;
}

/** Longest delay of setTimeout, which counts in 32 bits. */
const MAX_TIMER_MS = 2 ** 31 - 1;
/** How long to poll before a WebSocket is tried again. */
const POLL_MS = { first: 15_000, max: 600_000 };

export class WebSocketTransport {
  readonly #protocol: ChannelProtocol;
  readonly #positions: readonly LogPosition[];
  readonly #deps: WebSocketTransportDeps;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #socket: WebSocketLike | undefined;
  /** Counts the attempts: events of an earlier socket are ignored. */
  #attempt = 0;
  #pollMs = POLL_MS.first;
  #isRefused = false;
  #isStopped = false;

  constructor(positions: readonly LogPosition[], deps: WebSocketTransportDeps) {
    this.#positions = positions;
    this.#deps = deps;
    this.#protocol = new ChannelProtocol(positions, deps.random);
  }

  start(): void {
    this.#perform(this.#protocol.start(this.#deps.now()));
  }

  pause(): void {
    this.#protocol.pause();
  }

  resume(): void {
    this.#perform(this.#protocol.resume(this.#deps.now()));
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    this.#close(1000, 'done');
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
          this.#close(output.code, output.reason);
          break;
        case 'event':
          this.#deps.emit(output.event);
          break;
        default:
          this.#finish(output.type === 'failed' ? output.error : undefined);
      }
    }
    this.#schedule();
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    // While a refusal is handled, the protocol waits for the result without a time limit.
    if (this.#isStopped || this.#isRefused) return;
    const now = this.#deps.now();
    const wait = Math.max(0, Math.ceil(this.#protocol.wakeAt(now) - now));
    if (wait === Number.POSITIVE_INFINITY) return;
    const tick = () => this.#perform(this.#protocol.tick(this.#deps.now()));
    this.#timer = setTimeout(tick, Math.min(wait, MAX_TIMER_MS));
  }

  async #connect(): Promise<void> {
    this.#attempt += 1;
    const attempt = this.#attempt;
    const isCurrent = () => attempt === this.#attempt && !this.#isStopped;
    try {
      const socket = await this.#open();
      if (isCurrent()) this.#listen(socket, isCurrent);
      else closeQuietly(socket, 1000, 'too late');
    } catch (error) {
      if (isCurrent()) await this.#refused(error instanceof StowageError ? error : undefined);
    }
  }

  async #open(): Promise<WebSocketLike> {
    const { http, openWebSocket, ticket } = this.#deps;
    const [position] = this.#positions;
    if (ticket && position) {
      const { bucket, prefix } = position;
      return openWebSocket(await ticket({ bucket, prefix }), {});
    }
    const url = http.url('sync');
    url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
    return openWebSocket(url.href, http.authorization);
  }

  #listen(socket: WebSocketLike, isCurrent: () => boolean): void {
    this.#socket = socket;
    let isOpen = false;
    const whileCurrent = (react: () => void) => {
      if (isCurrent()) react();
    };
    const { now } = this.#deps;
    socket.addEventListener('open', () =>
      whileCurrent(() => {
        isOpen = true;
        this.#pollMs = POLL_MS.first;
        this.#perform(this.#protocol.opened(now()));
      }),
    );
    socket.addEventListener('message', ({ data }) =>
      whileCurrent(() => {
        if (typeof data === 'string') this.#perform(this.#protocol.received(now(), data));
      }),
    );
    const lost = (loss: ConnectionLoss) =>
      whileCurrent(() => {
        this.#attempt += 1;
        this.#socket = undefined;
        if (isOpen || loss.code === 4401) this.#perform(this.#protocol.closed(now(), loss));
        else void this.#refused(undefined);
      });
    socket.addEventListener('close', ({ code, reason }) => lost({ code, reason }));
    // Not every implementation sends `close` after an error.
    socket.addEventListener('error', () => lost({ reason: 'the connection failed' }));
  }

  /**
   * Polls, or finds out why a handshake failed, which a WebSocket does not say. `reason`: the error
   * of the request for a ticket.
   */
  async #refused(reason: StowageError | undefined): Promise<void> {
    this.#isRefused = true;
    clearTimeout(this.#timer);
    try {
      if (this.#deps.pollsWhileRefused) await this.#pollUntilRetry();
      else await this.#diagnose(reason);
    } catch (error) {
      this.#finish(error);
    }
    this.#isRefused = false;
    if (this.#isStopped) return;
    if (this.#positions.every((position) => position.hasEnded)) this.#finish();
    else this.#perform(this.#protocol.closed(this.#deps.now()));
  }

  async #pollUntilRetry(): Promise<void> {
    const hasWorked = await poll(this.#positions, this.#deps, this.#deps.now() + this.#pollMs);
    if (hasWorked) this.#pollMs = Math.min(this.#pollMs * 2, POLL_MS.max);
  }

  /**
   * Requests each bucket over HTTP to find out why the handshake failed, and ends the buckets that
   * are refused. Throws `unauthorized` when the service does not accept the key.
   */
  async #diagnose(reason: StowageError | undefined): Promise<void> {
    const { canPoll, emit, signal } = this.#deps;
    for (const position of this.#positions) {
      if (position.hasEnded) continue;
      try {
        if (reason) throw reason;
        if (canPoll) await checkAccess(position, this.#deps);
      } catch (error) {
        if (signal.aborted) return;
        if (!(error instanceof StowageError)) throw error;
        if (endOnPermanentError(error, position, emit)) continue;
        const buckets = this.#positions.map(({ bucket }) => bucket);
        const [status, transport] = ['disconnected', 'websocket'] as const;
        emit({ type: 'status', status, transport, buckets, reason: error.message });
        return;
      }
    }
  }

  #finish(error?: unknown): void {
    this.stop();
    this.#deps.finished(error);
  }

  #close(code: number, reason: string): void {
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
    // Browsers accept 1000 and 3000 to 4999 only.
    socket.close();
  }
}
