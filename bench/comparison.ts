/** Measures an operation over HTTP and with the bare SDK alternately, so that noise hits both. */
import type { HttpClient } from './http-client';
import type { Remote } from './remote';
import type { SdkClient } from './sdk-client';
import { type Side, sideOf } from './side';
import { median } from './statistics';
import type { Task, Timings } from './task';

export interface Clients {
  readonly http: Remote<HttpClient>;
  readonly sdk: Remote<SdkClient>;
}

export interface Comparison extends Pick<Task, 'operation' | 'size' | 'concurrency'> {
  readonly service: Side;
  readonly bare: Side;
  /** Median of the service divided by the median of the bare calls, over all rounds. */
  readonly ratio: number;
  /** The smallest and the largest of the single rounds. */
  readonly spread: readonly [number, number];
}

/** Requests that are not counted: they compile code, open connections and start functions. */
const WARM_UP = 50;

export async function compare(
  { http, sdk }: Clients,
  task: Task,
  rounds: number,
): Promise<Comparison> {
  const warmUp = { ...task, count: Math.min(task.count, WARM_UP * task.concurrency) };
  await http.call('measure', warmUp);
  await sdk.call('measure', warmUp);
  const service: Timings[] = [];
  const bare: Timings[] = [];
  const ratios: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const overHttp = await http.call('measure', task);
    const bySdk = await sdk.call('measure', task);
    service.push(overHttp);
    bare.push(bySdk);
    ratios.push(median(overHttp.latencies) / median(bySdk.latencies));
  }
  const sides = { service: sideOf(service), bare: sideOf(bare) };
  const { operation, size, concurrency } = task;
  return {
    operation,
    size,
    concurrency,
    ...sides,
    ratio: sides.service.p50 / sides.bare.p50,
    spread: [Math.min(...ratios), Math.max(...ratios)],
  };
}
