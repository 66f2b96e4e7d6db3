/** WebSockets that the test opens, closes and sends messages on. */
import type { WebSocketEvent, WebSocketLike } from '../../../client/channel/web-socket';

type Listener = (event: WebSocketEvent) => void;

export class FakeSocket implements WebSocketLike {
  readonly sent: unknown[] = [];
  /** The arguments of each call of `close`. */
  readonly closes: (readonly [number?, string?])[] = [];
  readonly #listeners = new Map<string, Listener[]>();

  constructor(
    readonly url: string,
    readonly headers: Readonly<Record<string, string>>,
    readonly refusesCode = false,
  ) {}

  addEventListener(type: string, listener: Listener): void {
    this.#listeners.set(type, [...(this.#listeners.get(type) ?? []), listener]);
  }

  send(text: string): void {
    this.sent.push(JSON.parse(text));
  }

  close(...given: [number?, string?]): void {
    this.closes.push(given);
    if (this.refusesCode && given.length > 0) throw new RangeError('the code is not allowed');
  }

  /** As the network does. */
  fire(type: 'open' | 'message' | 'close' | 'error', event: WebSocketEvent = {}): void {
    for (const listener of this.#listeners.get(type) ?? []) listener(event);
  }

  tell(message: object): void {
    this.fire('message', { data: JSON.stringify(message) });
  }
}
