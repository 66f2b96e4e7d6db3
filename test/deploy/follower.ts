/** A client of the change channel that saves the messages it receives. */
import WebSocket from 'ws';
import { until } from '../support/until';

export type Message = Readonly<Record<string, unknown>>;

export class Follower {
  readonly messages: Message[] = [];
  /** The code that the channel was closed with. */
  closed?: number;

  private constructor(private readonly socket: WebSocket) {
    socket.on('message', (data) => this.messages.push(JSON.parse(String(data))));
    socket.on('close', (code) => {
      this.closed = code;
    });
  }

  /** Returns the status when the upgrade is refused. */
  static open(url: string, headers: Record<string, string> = {}): Promise<Follower | number> {
    const socket = new WebSocket(url, { headers, handshakeTimeout: 30_000 });
    // Made before the response to the upgrade: the first message may come in the same packet.
    const follower = new Follower(socket);
    return new Promise((resolve, reject) => {
      socket.on('open', () => resolve(follower));
      socket.on('unexpected-response', (_, response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      });
      socket.on('error', reject);
    });
  }

  send(message: Message): void {
    this.socket.send(JSON.stringify(message));
  }

  /** Waits for the first message of a type that fits. Throws after a minute. */
  async received(type: string, fits: (message: Message) => boolean = () => true): Promise<Message> {
    const find = () => this.messages.find((message) => message.type === type && fits(message));
    await until(`${type} among ${JSON.stringify(this.messages)}`, async () => !!find());
    return find() ?? {};
  }

  close(): void {
    this.socket.close();
  }
}

export async function opened(url: string, headers?: Record<string, string>): Promise<Follower> {
  const follower = await Follower.open(url, headers);
  if (typeof follower === 'number') throw new Error(`the upgrade was refused: ${follower}`);
  return follower;
}
