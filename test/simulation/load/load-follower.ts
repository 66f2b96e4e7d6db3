/** A client that follows the bucket over a channel, and measures how far it is behind. */
import { StowageClient } from '../../../client';
import type { BucketHistory } from '../records/history';
import type { Service } from '../service/functions';
import { fetchThroughGateway, ORIGIN } from '../service/gateway';
import type { Simulation } from '../service/simulation';

export interface Following {
  readonly name: string;
  readonly apiKey: string;
  readonly history: BucketHistory;
}

export class LoadFollower {
  /** Milliseconds that the last change of each message has taken. */
  readonly lags: number[] = [];
  cursor = 0;
  private readonly client: StowageClient;
  private readonly controller = new AbortController();

  constructor(
    private readonly simulation: Simulation,
    service: Service,
    private readonly following: Following,
  ) {
    const { name, apiKey } = following;
    const random = simulation.random(name);
    const fetch = fetchThroughGateway(simulation, service.http, random);
    const webSocket = service.channels.open;
    this.client = new StowageClient({ baseUrl: ORIGIN, apiKey, fetch, webSocket });
  }

  start(): void {
    this.follow().catch((error: unknown) => {
      const what = error instanceof Error ? (error.stack ?? error.message) : String(error);
      this.simulation.anomalies.report('a follower never ends', what);
    });
  }

  stop(): void {
    this.controller.abort();
  }

  private async follow(): Promise<void> {
    const { history } = this.following;
    const { signal } = this.controller;
    const wanted = { 'bucket-1': { cursor: 0, bucketId: history.id } };
    const { time } = this.simulation;
    const events = this.client.sync(wanted, { transport: 'websocket', signal }).events();
    for await (const event of events) {
      if (event.type === 'ended') throw event.error;
      if (event.type !== 'cursor' || event.cursor === this.cursor) continue;
      this.cursor = event.cursor;
      this.lags.push(time.now - (history.entries[event.cursor]?.at ?? time.now));
    }
  }
}
