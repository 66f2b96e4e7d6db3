/**
 * A TCP proxy whose connections fail: HTTP and WebSockets alike. The seed decides which of them do,
 * and in what order; when, depends on the traffic.
 */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import type { SeededRandom } from '../simulation/machine/random';

/** What may happen to the bytes that arrive together, and how often. */
const RATES = {
  /** They arrive later. */
  delayed: 0.03,
  /** Half of them arrive, and the connection ends. */
  cut: 0.002,
  /** The connection ends by RST. */
  reset: 0.002,
  /** Neither they nor anything after them arrives, and the connection stays open for a while. */
  blackholed: 0.0005,
};
export type NetworkFault = keyof typeof RATES;

const DELAY_MS = [5, 300] as const;
const BLACKHOLE_MS = 6_000;

interface Pair {
  readonly from: Socket;
  readonly to: Socket;
}

export class FaultyProxy {
  readonly counts: Record<NetworkFault, number> = { delayed: 0, cut: 0, reset: 0, blackholed: 0 };
  /** Nothing fails any more. */
  isCalm = false;
  private readonly server: Server;
  private readonly sockets = new Set<Socket>();

  constructor(
    private readonly target: number,
    private readonly random: SeededRandom,
  ) {
    this.server = createServer({ noDelay: true }, (client) => this.accept(client));
  }

  async listen(): Promise<string> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }

  private accept(client: Socket): void {
    const service = connect({ port: this.target, host: '127.0.0.1', noDelay: true });
    for (const [from, to] of [
      [client, service],
      [service, client],
    ] as const) {
      this.sockets.add(from);
      // A broken connection ends with `close`.
      from.on('error', () => undefined);
      from.on('close', () => {
        this.sockets.delete(from);
        to.destroy();
      });
      from.on('end', () => to.end());
      from.on('data', (bytes) => this.pass({ from, to }, bytes));
    }
  }

  private pass(pair: Pair, bytes: Buffer): void {
    const { from, to } = pair;
    switch (this.draw()) {
      case undefined:
        this.write(pair, bytes);
        return;
      case 'delayed':
        from.pause();
        setTimeout(
          () => {
            from.resume();
            this.write(pair, bytes);
          },
          this.random.between(...DELAY_MS),
        );
        return;
      case 'cut':
        to.end(bytes.subarray(0, Math.floor(bytes.length / 2)), () => from.destroy());
        return;
      case 'reset':
        to.resetAndDestroy();
        from.resetAndDestroy();
        return;
      case 'blackholed':
        for (const socket of [from, to]) socket.removeAllListeners('data').resume();
        setTimeout(() => from.destroy(), BLACKHOLE_MS);
    }
  }

  private write({ from, to }: Pair, bytes: Buffer): void {
    if (to.destroyed || to.writableEnded) return;
    if (to.write(bytes)) return;
    from.pause();
    to.once('drain', () => from.resume());
  }

  private draw(): NetworkFault | undefined {
    if (this.isCalm) return undefined;
    let number = this.random.next();
    for (const [fault, rate] of Object.entries(RATES) as [NetworkFault, number][]) {
      number -= rate;
      if (number >= 0) continue;
      this.counts[fault] += 1;
      return fault;
    }
    return undefined;
  }
}
