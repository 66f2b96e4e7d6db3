/** A client that writes at its rate, however many of its requests are not answered yet. */
import { StowageClient, StowageError } from '../../../client';
import type { SeededRandom } from '../machine/random';
import type { Service } from '../service/functions';
import { fetchThroughGateway, ORIGIN } from '../service/gateway';
import type { Simulation } from '../service/simulation';

export interface Outcome {
  /** The HTTP status. */
  readonly status: number;
  readonly milliseconds: number;
  /** Where its changes are in the log; none: it was refused. */
  readonly cursors: readonly number[];
  /** When it began, of the virtual clock. */
  readonly at: number;
}

export interface LoadWork {
  readonly name: string;
  readonly apiKey: string;
  /** Writes a second. */
  readonly rate: number;
  readonly keys: number;
  readonly changes: number;
  /** When it ends, of the virtual clock. */
  readonly until: number;
}

export class LoadWriter {
  readonly outcomes: Outcome[] = [];
  /** Requests without an answer. */
  waiting = 0;
  private readonly client: StowageClient;
  private readonly random: SeededRandom;
  /** When the next write begins; not rounded to milliseconds, which would lower the rate. */
  private next: number;

  constructor(
    private readonly simulation: Simulation,
    service: Service,
    private readonly work: LoadWork,
  ) {
    this.random = simulation.random(work.name);
    this.next = simulation.time.now;
    const { apiKey } = work;
    const fetch = fetchThroughGateway(simulation, service.http, this.random);
    // A repeated request would be one more than the rate says.
    this.client = new StowageClient({ baseUrl: ORIGIN, apiKey, fetch, retries: 0 });
  }

  /** The times between two writes are exponential, as those of many clients together are. */
  start(): void {
    const { time } = this.simulation;
    this.next += (-Math.log(1 - this.random.next()) / this.work.rate) * 1000;
    time.after(this.next - time.now, () => {
      if (time.now >= this.work.until) return;
      this.start();
      void this.write();
    });
  }

  private async write(): Promise<void> {
    const { time } = this.simulation;
    const at = time.now;
    this.waiting += 1;
    const { status, cursors } = await this.send();
    this.waiting -= 1;
    this.outcomes.push({ status, cursors, at, milliseconds: time.now - at });
  }

  private async send(): Promise<Pick<Outcome, 'status' | 'cursors'>> {
    const { client, random, work } = this;
    const keys = new Set<string>();
    while (keys.size < work.changes) keys.add(`k/${random.between(1, work.keys)}`);
    const [only = ''] = keys;
    try {
      if (keys.size === 1) {
        const { cursor } = await client.put('bucket-1', only, 'x');
        return { status: 201, cursors: [cursor] };
      }
      const changes = [...keys].map((key) => ({ op: 'put', key, content: 'x' }) as const);
      const made = await client.commit('bucket-1', changes);
      return { status: 201, cursors: made.changes.map(({ cursor }) => cursor) };
    } catch (error) {
      if (!(error instanceof StowageError)) throw error;
      return { status: error.status, cursors: [] };
    }
  }
}
