import type { Channels, PostOutcome } from '../../../core/channel/ports';
import type { FakeState } from './state';

const MAX_MESSAGE_BYTES = 128 * 1024;

/** An open WebSocket connection as the gateway has it. */
export interface OpenChannel {
  readonly deliver: (message: string) => void;
  /** Told when the server cuts the connection. */
  readonly onClose: () => void;
  busy: boolean;
}

/**
 * What becomes of messages between gateway and client. Calls `deliver` any number of times, now or
 * later.
 */
export type Network = (message: string, deliver: (message: string) => void) => void;

/**
 * Plays the gateway and its clients: opens and closes connections, and carries what is posted to
 * whoever listens.
 */
export class FakeGateway {
  constructor(
    private readonly state: FakeState,
    private readonly network: Network = (message, deliver) => deliver(message),
  ) {}

  /**
   * Until then a post to the connection is answered with `gone`, as API Gateway does while $connect
   * runs.
   */
  open(
    connectionId: string,
    listener: (message: string) => void = () => {},
    onClose: () => void = () => {},
  ): void {
    const channel: OpenChannel = {
      deliver: (message) => {
        // What is still under way when a connection closes is lost.
        const send = (copy: string) => {
          if (this.state.channels.get(connectionId) === channel) listener(copy);
        };
        this.network(message, send);
      },
      onClose,
      busy: false,
    };
    this.state.channels.set(connectionId, channel);
  }

  /** As when the client goes away. */
  close(connectionId: string): void {
    this.state.channels.delete(connectionId);
  }

  /** A connection whose client does not read: posts are answered with `busy`. */
  setBusy(connectionId: string, busy: boolean): void {
    const channel = this.state.channels.get(connectionId);
    if (channel === undefined) throw new Error(`${connectionId} is not open`);
    channel.busy = busy;
  }

  /**
   * What the gateway took for the connection, in order, whatever the network did to it afterwards.
   */
  messages(connectionId: string): readonly string[] {
    return this.state.posted.get(connectionId) ?? [];
  }
}

/** The Channels port on the connections that a FakeGateway opened. */
export class FakeChannels implements Channels {
  constructor(private readonly state: FakeState) {}

  async post(connectionId: string, message: string): Promise<PostOutcome> {
    if (Buffer.byteLength(message) > MAX_MESSAGE_BYTES) throw new Error('message of over 128 KiB');
    const channel = this.state.channels.get(connectionId);
    if (channel === undefined) return 'gone';
    if (channel.busy) return 'busy';
    this.state.postedTo(connectionId).push(message);
    channel.deliver(message);
    return 'sent';
  }

  async isOpen(connectionId: string): Promise<boolean> {
    return this.state.channels.has(connectionId);
  }

  async disconnect(connectionId: string): Promise<void> {
    const channel = this.state.channels.get(connectionId);
    this.state.channels.delete(connectionId);
    channel?.onClose();
  }
}
