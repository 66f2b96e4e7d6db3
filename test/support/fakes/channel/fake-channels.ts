import type { Channels, PostOutcome } from '../../../../core/channel/ports';
import type { FakeState } from '../state';
import type { OpenChannel } from '../stored';

const MAX_MESSAGE_BYTES = 128 * 1024;

/**
 * How the network treats a message between gateway and client: it calls `deliver` any number of
 * times, now or later.
 */
export type Network = (message: string, deliver: (message: string) => void) => void;

/**
 * Simulates the gateway and its clients: opens and closes connections, and passes posted messages
 * to their listeners.
 */
export class FakeGateway {
  constructor(
    private readonly state: FakeState,
    private readonly network: Network = (message, deliver) => deliver(message),
  ) {}

  /**
   * Opens the connection. Before, a post to it returns `gone`, as in API Gateway while $connect
   * runs.
   */
  open(
    connectionId: string,
    listener: (message: string) => void = () => {},
    onClose: () => void = () => {},
  ): void {
    const channel: OpenChannel = {
      deliver: (message) => {
        // Messages still in transit when the connection closes are lost.
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

  /** Closes the connection as the client would. */
  close(connectionId: string): void {
    this.state.channels.delete(connectionId);
  }

  /** Marks the client as not reading: posts to it return `busy`. */
  setBusy(connectionId: string, busy: boolean): void {
    const channel = this.state.channels.get(connectionId);
    if (channel === undefined) throw new Error(`${connectionId} is not open`);
    channel.busy = busy;
  }

  /**
   * The messages that the gateway accepted for the connection, in order, delivered or not.
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
