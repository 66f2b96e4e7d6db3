/**
 * Decides when to open a channel and what to send on it, without a socket: its inputs are the
 * events of a connection and the time, its outputs are the actions to perform. It keeps one channel
 * open with a subscription to every bucket, and repairs what the network loses, repeats or
 * reorders: docs/client.md, "How it recovers". Times are milliseconds since the epoch, from a clock
 * that never goes back.
 */
import { StowageError } from '../errors';
import { fullJitter, type Random } from '../retry';
import { ChannelSubscriptions } from './channel-subscriptions';
import type { StatusEvent, SubscriptionEvent } from './events';
import type { LogPosition } from './log-position';
import { MessageRate } from './message-rate';
import { parseServerMessage, type ServerMessage } from './messages';
import { PingSchedule } from './ping-schedule';

export type Output =
  | { readonly type: 'connect' }
  | { readonly type: 'send'; readonly text: string }
  /** Close the connection, and ignore its later events. */
  | { readonly type: 'close'; readonly code: number; readonly reason: string }
  | { readonly type: 'event'; readonly event: SubscriptionEvent }
  /** No channel can be opened any more. */
  | { readonly type: 'failed'; readonly error: StowageError }
  /** Every bucket has ended. */
  | { readonly type: 'done' };

export interface ConnectionLoss {
  readonly code?: number;
  readonly reason?: string;
}

const CONNECT_MS = 20_000;
/** A connection that was open for this long resets the count of failed attempts. */
const STABLE_AFTER_MS = 5_000;
/**
 * After `goodbye`, reconnect at a random moment within this share of the time left, so that the
 * clients of a closing gateway do not reconnect at the same time.
 */
const RECONNECT_SHARE = 0.8;
const MAX_RECONNECT_MS = 300_000;
const TOO_MANY_MS = { min: 10_000, spread: 20_000 };
/** Below the service's limits of 20 messages per second and 50 at once. */
const PACE = { burst: 40, perSecond: 15 };

type Phase = 'idle' | 'waiting' | 'connecting' | 'open' | 'over';

export class ChannelProtocol {
  readonly #random: Random;
  readonly #positions: readonly LogPosition[];
  #subscriptions: ChannelSubscriptions;
  #phase: Phase = 'idle';
  #isPaused = false;
  #outputs: Output[] = [];
  #messageRate = new MessageRate(PACE.burst, PACE.perSecond);
  /** When the phase ends: at the next attempt, the timeout of a handshake, or the reconnect. */
  #phaseEnd = Number.POSITIVE_INFINITY;
  #failures = 0;
  #openedAt = 0;
  #mutedUntil = 0;
  #pings = new PingSchedule(0);

  constructor(positions: readonly LogPosition[], random: Random) {
    this.#positions = positions;
    this.#random = random;
    this.#subscriptions = this.#newSubscriptions();
  }

  start(now: number): readonly Output[] {
    return this.#turn(now, () => this.#connect(now));
  }

  opened(now: number): readonly Output[] {
    return this.#turn(now, () => {
      this.#subscriptions = this.#newSubscriptions();
      this.#messageRate = new MessageRate(PACE.burst, PACE.perSecond);
      this.#phase = 'open';
      this.#phaseEnd = Number.POSITIVE_INFINITY;
      this.#openedAt = now;
      this.#mutedUntil = 0;
      this.#pings = new PingSchedule(now);
      this.#status('connected');
    });
  }

  /** The connection was lost, or could not be opened. */
  closed(now: number, { code, reason }: ConnectionLoss = {}): readonly Output[] {
    return this.#turn(now, () => {
      if (code === 4401) this.#fail(unauthorized(reason));
      else this.#lost(now, reason || `the connection was closed (${code ?? 1006})`, code);
    });
  }

  received(now: number, text: string): readonly Output[] {
    return this.#turn(now, () => {
      if (this.#phase !== 'open') return;
      const message = parseServerMessage(text);
      if (message) this.#handle(message, now);
      this.#pings.received(now, this.#subscriptions.lastHeard);
    });
  }

  /** Does what is due. Call it at `wakeAt`. */
  tick(now: number): readonly Output[] {
    return this.#turn(now, () => {
      if (this.#phase === 'open' && this.#pings.isDead(now)) this.#drop(now, 4000, 'no pong');
      if (now < this.#phaseEnd) return;
      if (this.#phase === 'waiting') this.#connect(now);
      else if (this.#phase === 'connecting') this.#drop(now, 4000, 'no response to the handshake');
      else if (this.#phase === 'open') {
        this.#outputs.push({ type: 'close', code: 1000, reason: 'reconnecting after goodbye' });
        this.#connect(now);
      }
    });
  }

  /** Drops changes from now on: the reader is slow, and memory must not grow. */
  pause(): void {
    this.#isPaused = true;
  }

  /** Requests the changes that were dropped. */
  resume(now: number): readonly Output[] {
    return this.#turn(now, () => {
      if (this.#isPaused) this.#subscriptions.catchUp();
      this.#isPaused = false;
    });
  }

  /** Returns when `tick` has something to do. */
  wakeAt(now: number): number {
    if (this.#phase !== 'open') return this.#phaseEnd;
    const { sendAt: askAt, storeAt } = this.#subscriptions;
    const dueAt = this.#isPaused ? Number.POSITIVE_INFINITY : Math.min(askAt, storeAt);
    const sendAt = Math.max(Math.min(this.#pings.pingAt, dueAt), this.#mutedUntil);
    return Math.min(
      Math.max(sendAt, this.#messageRate.readyAt(now)),
      this.#pings.deadAt,
      this.#phaseEnd,
    );
  }

  #turn(now: number, work: () => void): readonly Output[] {
    if (this.#phase !== 'over') {
      work();
      if (this.#phase === 'open') this.#settle(now);
    }
    const outputs = this.#outputs;
    this.#outputs = [];
    return outputs;
  }

  #newSubscriptions(): ChannelSubscriptions {
    return new ChannelSubscriptions(this.#positions, (event) => this.#event(event));
  }

  #settle(now: number): void {
    if (this.#subscriptions.names.length > 0) {
      this.#send(now);
      return;
    }
    this.#phase = 'over';
    this.#phaseEnd = Number.POSITIVE_INFINITY;
    this.#outputs.push({ type: 'close', code: 1000, reason: 'every bucket has ended' });
    this.#outputs.push({ type: 'done' });
  }

  #handle(message: ServerMessage, now: number): void {
    switch (message.type) {
      case 'subscribed':
        this.#subscriptions.subscribed(message, now);
        break;
      case 'changes':
        if (this.#isPaused) this.#subscriptions.skip(message);
        else this.#subscriptions.changes(message, now);
        break;
      case 'reset':
        this.#subscriptions.reset(message);
        break;
      case 'pong':
        this.#subscriptions.pong(message, now);
        break;
      case 'error':
        this.#error(message, now);
        break;
      case 'goodbye':
        this.#goodbye(message, now);
    }
  }

  #error({ bucket, error }: Extract<ServerMessage, { type: 'error' }>, now: number): void {
    if (error.code === 'unauthorized') {
      this.#fail(error);
      return;
    }
    if (error.code === 'rate_limited') {
      this.#mutedUntil = now + Math.max(error.retryAfter ?? 1, 0.05) * 1000;
    }
    if (bucket !== undefined) this.#subscriptions.error(bucket, error, now);
  }

  #goodbye(message: Extract<ServerMessage, { type: 'goodbye' }>, now: number): void {
    const { code, reason, reconnectBefore = now } = message;
    if (code === 4401) {
      this.#outputs.push({ type: 'close', code, reason });
      this.#fail(unauthorized(reason));
    } else if (code === 4429) {
      this.#drop(now, code, reason);
    } else if (this.#phaseEnd === Number.POSITIVE_INFINITY) {
      const left = Math.max(0, Math.min(reconnectBefore - now, MAX_RECONNECT_MS));
      this.#phaseEnd = now + this.#random() * left * RECONNECT_SHARE;
    }
  }

  #connect(now: number): void {
    this.#phase = 'connecting';
    this.#phaseEnd = now + CONNECT_MS;
    this.#outputs.push({ type: 'connect' });
  }

  #drop(now: number, code: number, reason: string): void {
    this.#outputs.push({ type: 'close', code, reason });
    this.#lost(now, reason, code);
  }

  #lost(now: number, reason: string, code?: number): void {
    if (this.#phase === 'open') {
      this.#status('disconnected', reason);
      if (now - this.#openedAt >= STABLE_AFTER_MS) this.#failures = 0;
    }
    const wait =
      code === 4429
        ? TOO_MANY_MS.min + this.#random() * TOO_MANY_MS.spread
        : fullJitter(this.#failures, this.#random);
    this.#failures += 1;
    this.#phase = 'waiting';
    this.#phaseEnd = now + wait;
  }

  #fail(error: StowageError): void {
    this.#phase = 'over';
    this.#phaseEnd = Number.POSITIVE_INFINITY;
    this.#outputs.push({ type: 'failed', error });
  }

  #send(now: number): void {
    if (now < this.#mutedUntil) return;
    if (!this.#isPaused) this.#say(this.#subscriptions.subscribe(now, this.#messageRate));
    const isTime = now >= this.#pings.pingAt;
    const due = this.#isPaused ? [] : this.#subscriptions.due(now);
    if ((!isTime && due.length === 0) || !this.#messageRate.take(now)) return;
    // Without cursors a ping only keeps the connection open: the server sends no changes for it.
    const isFull = isTime && !this.#isPaused;
    this.#say([this.#subscriptions.ping(now, isFull ? this.#subscriptions.names : due)]);
    this.#pings.sent(now);
  }

  #say(texts: readonly string[]): void {
    for (const text of texts) this.#outputs.push({ type: 'send', text });
  }

  #status(status: StatusEvent['status'], reason?: string): void {
    const buckets = this.#subscriptions.names;
    const event: StatusEvent = { type: 'status', status, transport: 'websocket', buckets };
    this.#event(reason === undefined ? event : { ...event, reason });
  }

  #event(event: SubscriptionEvent): void {
    this.#outputs.push({ type: 'event', event });
  }
}

function unauthorized(reason: string | undefined): StowageError {
  return new StowageError('unauthorized', reason || 'the service no longer accepts the key');
}
