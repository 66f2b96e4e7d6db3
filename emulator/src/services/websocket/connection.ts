/**
 * One open connection: sends and receives messages, applies the limits, and releases its timers at
 * the end.
 */
import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import type { Ending, Peer } from './event';
import { FrameLengths } from './frame-lengths';
import { BOUNDS, QUOTAS } from './limits';

export interface ConnectionOptions {
  readonly peer: Peer;
  readonly idleMs: number;
  readonly lifetimeMs: number;
  /** Never rejects. */
  readonly onMessage: (body: string) => Promise<void>;
  /** Called once, when the connection has ended. */
  readonly onClosed: (ending: Ending) => void;
}

export class Connection {
  readonly peer: Peer;
  /** Milliseconds since the epoch. */
  lastActiveAt: number;
  private ending: Ending | undefined;
  private timer: NodeJS.Timeout | undefined;
  private readonly held = new Set<NodeJS.Timeout>();
  private heldBytes = 0;
  /** Messages of the client that are not processed yet. */
  private readonly waiting: string[] = [];
  private inProgress = 0;

  constructor(
    private readonly socket: WebSocket,
    wire: Socket,
    private readonly options: ConnectionOptions,
  ) {
    this.peer = options.peer;
    this.lastActiveAt = Date.now();
    this.watchFrames(wire);
    socket.on('message', (data: Buffer, binary) => this.receive(data, binary));
    socket.on('error', (error) => this.failed(error));
    socket.once('close', (code, reason) => this.closed(code, reason.toString()));
    this.watchTime();
  }

  get open(): boolean {
    return this.ending === undefined && this.socket.readyState === this.socket.OPEN;
  }

  /** Sends a message. Returns false when the buffer of the client is full. */
  send(data: Buffer): boolean {
    if (!this.open) return true;
    if (!this.hasRoom(data.length)) return false;
    this.lastActiveAt = Date.now();
    const { frameBytes } = QUOTAS;
    for (let at = 0; at === 0 || at < data.length; at += frameBytes) {
      const fin = at + frameBytes >= data.length;
      this.socket.send(data.subarray(at, at + frameBytes), { binary: false, fin });
    }
    return true;
  }

  hasRoom(bytes: number): boolean {
    return this.socket.bufferedAmount + this.heldBytes + bytes <= BOUNDS.bufferBytes;
  }

  /** Sends the message after `delay` milliseconds, if the connection is still open. */
  sendLater(data: Buffer, delay: number): void {
    this.heldBytes += data.length;
    this.later(delay, () => {
      this.heldBytes -= data.length;
      this.send(data);
    });
  }

  /** Runs `work` after `delay` milliseconds, unless the connection ends first. */
  later(delay: number, work: () => void): void {
    const timer = setTimeout(() => {
      this.held.delete(timer);
      work();
    }, delay);
    this.held.add(timer);
  }

  /** Starts the closing handshake. No message is sent or received afterwards. */
  close(ending: Ending): void {
    if (!this.open) return;
    this.socket.close(ending.code, ending.reason);
    // A paused socket would not read the client's close frame.
    if (this.socket.isPaused) this.socket.resume();
    this.closing(ending);
  }

  /** Ends the connection without a close frame, as a network failure does. */
  cut(): void {
    this.socket.terminate();
  }

  private watchFrames(wire: Socket): void {
    const lengths = new FrameLengths(QUOTAS.frameBytes);
    // Runs before the listener of `ws`, which has not received any bytes yet.
    wire.prependListener('data', (bytes: Buffer) => {
      if (!this.open || !lengths.exceeds(bytes)) return;
      this.close({ code: 1009, reason: 'Frame too long' });
    });
  }

  private watchTime(): void {
    const { idleMs, lifetimeMs } = this.options;
    const end = Math.min(this.lastActiveAt + idleMs, this.peer.connectedAt + lifetimeMs);
    const left = end - Date.now();
    if (left <= 0) this.close({ code: 1001, reason: 'Going away' });
    else this.timer = setTimeout(() => this.watchTime(), left);
  }

  private receive(data: Buffer, binary: boolean): void {
    if (!this.open) return;
    this.lastActiveAt = Date.now();
    if (binary) this.close({ code: 1003, reason: 'Binary is not supported' });
    else {
      this.waiting.push(data.toString());
      this.work();
    }
  }

  /** Limits the messages in progress; further ones wait in the client's socket. */
  private work(): void {
    const { waiting, socket } = this;
    while (this.inProgress < BOUNDS.messagesInProgress) {
      const body = waiting.shift();
      if (body === undefined) break;
      this.inProgress++;
      void this.options.onMessage(body).finally(() => {
        this.inProgress--;
        this.work();
      });
    }
    if (waiting.length > 0) socket.pause();
    else if (socket.isPaused) socket.resume();
  }

  /**
   * For an invalid frame `ws` has sent a close frame; a network error ends the connection itself.
   */
  private failed({ code, message }: NodeJS.ErrnoException): void {
    if (this.ending !== undefined || !code?.startsWith('WS_ERR_')) return;
    this.closing({ code: CODES.get(code) ?? 1002, reason: message });
  }

  private closing(ending: Ending): void {
    this.ending = ending;
    this.settle();
    this.timer = setTimeout(() => this.socket.terminate(), BOUNDS.closeMs);
  }

  private closed(code: number, reason: string): void {
    this.settle();
    this.options.onClosed(this.ending ?? { code, reason: reason || (REASONS.get(code) ?? '') });
    this.ending ??= { code, reason };
  }

  private settle(): void {
    clearTimeout(this.timer);
    for (const timer of this.held) clearTimeout(timer);
    this.held.clear();
    this.heldBytes = 0;
  }
}

/** Close codes of RFC 6455, 7.4.1, for the errors of `ws`; for any other error it is 1002. */
const CODES: ReadonlyMap<string, number> = new Map([
  ['WS_ERR_INVALID_UTF8', 1007],
  ['WS_ERR_TOO_MANY_BUFFERED_PARTS', 1008],
  ['WS_ERR_UNSUPPORTED_DATA_PAYLOAD_LENGTH', 1009],
  ['WS_ERR_UNSUPPORTED_MESSAGE_LENGTH', 1009],
]);

const REASONS: ReadonlyMap<number, string> = new Map([
  [1005, 'Client-side close frame status not set'],
  [1006, 'Connection closed abnormally'],
]);
