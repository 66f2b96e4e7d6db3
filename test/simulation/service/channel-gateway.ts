/**
 * The WebSocket API between clients and function channel. A connection ends after two hours, or ten
 * idle minutes (https://docs.aws.amazon.com/apigateway/latest/developerguide/limits.html); posts
 * are neither ordered nor certain to arrive, and `$disconnect` is best effort
 * (https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-websocket-api-route-keys-connect-disconnect.html).
 */
import type { APIGatewayProxyResult } from 'aws-lambda';
import type { WebSocketEvent, WebSocketLike } from '../../../client/channel/web-socket';
import type { ChannelEvent } from '../../../lambdas/channel/app';
import { FakeGateway } from '../../support/fakes/channel/fake-channels';
import type { SeededRandom } from '../machine/random';
import type { LambdaFunction } from './lambda-function';
import type { Simulation } from './simulation';

const LONGEST_MS = 2 * 3_600_000;
const IDLE_MS = 600_000;
const LATENCY_MS = [4, 40] as const;
const LATE_MS = [200, 4_000] as const;
/** Under load nothing goes wrong: one connection delivers in order, as TCP does. */
const LOAD_LATENCY_MS = 20;

export type ChannelFunction = LambdaFunction<ChannelEvent, APIGatewayProxyResult>;

export class ChannelGateway {
  private readonly random: SeededRandom;
  private readonly gateway: FakeGateway;
  private connections = 0;

  constructor(
    readonly simulation: Simulation,
    readonly channel: ChannelFunction,
  ) {
    this.random = simulation.random('network');
    this.gateway = new FakeGateway(simulation.state, (message, deliver) =>
      this.transmit(() => deliver(message)),
    );
  }

  /** What a client calls to open a WebSocket. */
  readonly open = (_: string, headers: Readonly<Record<string, string>>): WebSocketLike => {
    this.connections += 1;
    return new Socket(this, `c${this.connections}`, headers);
  };

  /** Brings a message to the other side: perhaps twice, late, or never. */
  transmit(deliver: () => void): void {
    const { random, simulation } = this;
    const kinds = ['message lost', 'message repeated', 'message late'] as const;
    const fault = simulation.faults.draw(kinds, random);
    if (fault === 'message lost') return;
    const usual = () => (simulation.limits ? LOAD_LATENCY_MS : random.between(...LATENCY_MS));
    const delay = fault === 'message late' ? random.between(...LATE_MS) : usual();
    simulation.time.after(delay, deliver);
    if (fault === 'message repeated') simulation.time.after(usual(), deliver);
  }

  connect(id: string, listen: (message: string) => void, ended: () => void): void {
    this.gateway.open(id, listen, ended);
  }

  /** The service's side ends. */
  end(id: string): void {
    const { simulation, random } = this;
    if (!simulation.state.channels.has(id)) return;
    this.gateway.close(id);
    if (simulation.faults.draw(['disconnect lost'], random)) return;
    this.channel.invoke(channelEvent(id, 'DISCONNECT'), () => undefined);
  }
}

function channelEvent(
  connectionId: string,
  eventType: 'CONNECT' | 'MESSAGE' | 'DISCONNECT',
  rest: Pick<ChannelEvent, 'headers' | 'body'> = {},
): ChannelEvent {
  return { requestContext: { connectionId, requestId: 'request', eventType }, ...rest };
}

type Listener = (event: WebSocketEvent) => void;

/** The client's side of a connection. */
class Socket implements WebSocketLike {
  private readonly listeners = new Map<string, Listener[]>();
  private isOver = false;
  private usedAt = 0;
  private readonly random: SeededRandom;

  constructor(
    private readonly gateway: ChannelGateway,
    private readonly id: string,
    headers: Readonly<Record<string, string>>,
  ) {
    this.random = gateway.simulation.random(`socket ${id}`);
    this.transmit(() => this.handshake(headers));
  }

  addEventListener(type: string, listener: Listener): void {
    this.listeners.set(type, [...(this.listeners.get(type) ?? []), listener]);
  }

  send(text: string): void {
    this.used();
    this.transmit(() => {
      if (!this.gateway.simulation.state.channels.has(this.id)) return;
      const event = channelEvent(this.id, 'MESSAGE', { body: text });
      this.gateway.channel.invoke(event, () => undefined);
    });
  }

  close(): void {
    this.isOver = true;
    this.after(10, () => this.gateway.end(this.id));
  }

  private handshake(headers: Readonly<Record<string, string>>): void {
    const { gateway, id } = this;
    gateway.channel.invoke(channelEvent(id, 'CONNECT', { headers }), (outcome) => {
      const isOpen = 'result' in outcome && outcome.result.statusCode === 200;
      if (isOpen && !this.isOver) this.after(2, () => this.opened());
      else this.after(20, () => this.tell('close', { code: 1006, reason: 'refused' }));
    });
  }

  private opened(): void {
    const { gateway, id } = this;
    this.used();
    const listen = (data: string) => {
      this.used();
      this.tell('message', { data });
    };
    gateway.connect(id, listen, () => this.after(20, () => this.lost(1005)));
    this.tell('open', {});
    this.after(LONGEST_MS, () => this.cut());
    this.watch();
  }

  private used(): void {
    const { simulation } = this.gateway;
    this.usedAt = simulation.time.now;
    const fault = simulation.faults.draw(['channel cut', 'channel half open'], this.random);
    if (fault === 'channel cut') this.cut();
    else if (fault === 'channel half open') this.gateway.end(this.id);
  }

  private watch(): void {
    const left = this.usedAt + IDLE_MS - this.gateway.simulation.time.now;
    if (this.isOver) return;
    if (left <= 0) this.cut();
    else this.after(left, () => this.watch());
  }

  private cut(): void {
    this.gateway.end(this.id);
    this.after(20, () => this.lost(1006));
  }

  private lost(code: number): void {
    if (this.isOver) return;
    this.tell('close', { code, reason: '' });
    this.isOver = true;
  }

  private tell(type: string, event: WebSocketEvent): void {
    if (this.isOver) return;
    for (const listener of this.listeners.get(type) ?? []) listener({ type, ...event });
  }

  private transmit(deliver: () => void): void {
    this.gateway.transmit(deliver);
  }

  private after(milliseconds: number, run: () => void): void {
    this.gateway.simulation.time.after(milliseconds, run);
  }
}
