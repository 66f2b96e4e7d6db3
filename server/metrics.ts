/** Metrics for Prometheus: https://prometheus.io/docs/practices/naming/ */
import { createServer } from 'node:http';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Measure, Meter } from '../core/system';
import { addressOf, listening } from './listener';

/** Bounds of the classes of time, seconds. */
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 30];

/** What the domain measures, by its name there: docs/operations.md, "Metrics". */
const MEASURES: Readonly<Record<Measure, readonly [name: string, help: string]>> = {
  Throttles: ['throttles_total', 'Requests refused by the rate of their API key'],
  CommitRetries: ['commit_retries_total', 'Commits tried again after a concurrent one'],
  GapFills: ['gap_fills_total', 'Cursors of writers that died, filled'],
  PublishLag: ['publish_lag_milliseconds_total', 'Milliseconds from commits to publication'],
  ConsumerLag: ['consumer_lag_changes_total', 'Changes by which consumers were behind'],
  PushFailures: ['push_failures_total', 'Messages that a channel did not take'],
  AbandonedTasks: ['abandoned_tasks_total', 'Tasks given up after their last attempt'],
  OrphanBytes: ['orphan_bytes_total', 'Bytes of content without an object, found'],
};

export class Metrics implements Meter {
  private readonly registry = new Registry();
  private readonly requests: Histogram<'route' | 'status'>;
  private readonly measures: Readonly<Record<string, Counter<'of'>>>;

  /** `channels`: returns the number of open WebSocket connections. */
  constructor(channels: () => number) {
    const registers = [this.registry];
    collectDefaultMetrics({ register: this.registry });
    this.requests = new Histogram({
      name: 'stowage_request_seconds',
      help: 'Time until the response to a request begins, by route and class of status',
      labelNames: ['route', 'status'],
      buckets: SECONDS,
      registers,
    });
    this.measures = Object.fromEntries(
      Object.entries(MEASURES).map(([measure, [name, help]]) => [
        measure,
        new Counter({ name: `stowage_${name}`, help, labelNames: ['of'], registers }),
      ]),
    );
    new Gauge({
      name: 'stowage_channels',
      help: 'Open WebSocket connections',
      registers,
      collect() {
        this.set(channels());
      },
    });
  }

  add(measure: Measure, amount: number, of?: string): void {
    this.measures[measure]?.inc(of === undefined ? {} : { of }, amount);
  }

  /** Counts one request. */
  request(route: string, status: number, milliseconds: number): void {
    const labels = { route, status: `${Math.floor(status / 100)}xx` };
    this.requests.observe(labels, milliseconds / 1000);
  }

  /**
   * Serves `GET /metrics` at an address of its own, so that clients of the service do not see it.
   * Returns the address, and what ends it. Throws when the port is taken.
   */
  async serve(host: string, port: number): Promise<{ readonly url: string; end(): void }> {
    const server = createServer(async (request, response) => {
      if (request.url !== '/metrics') {
        response.writeHead(404, { 'Content-Type': 'text/plain' }).end('see /metrics\n');
        return;
      }
      const body = await this.registry.metrics();
      response.writeHead(200, { 'Content-Type': this.registry.contentType }).end(body);
    });
    await listening(server, host, port);
    return {
      url: `${addressOf(server, { host })}/metrics`,
      end: () => {
        server.close();
        server.closeAllConnections();
      },
    };
  }
}
