/**
 * `npm run torture -- --minutes M [--seed N] [--round SECONDS] [--history FILE] [--clock FILE]`
 * runs the local service behind a network that fails, kills it, and ends with one line of figures.
 * `--round` is how long the faults of a round last; calm and checks follow. `--history` writes what
 * the writers have sent and received, for the checker of test/linearizability. `--clock` is
 * libfaketime's file: the run sets the clock forward. docs/proof.md has the whole line.
 */
import { appendFileSync, rmSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { SeededRandom } from '../simulation/machine/random';
import { Anomalies } from '../simulation/records/anomalies';
import { Clock } from './clock';
import { FaultyProxy } from './faulty-proxy';
import { type Place, Round } from './round';
import { Service } from './service';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '1' },
    seed: { type: 'string', default: '1' },
    round: { type: 'string', default: '120' },
    history: { type: 'string' },
    clock: { type: 'string' },
  },
});

/** Adds up what the rounds have done. */
class Totals {
  private rounds = 0;
  private readonly sums = {
    requests: 0,
    reads: 0,
    acknowledged: 0,
    changes: 0,
    unknown: 0,
    refused: 0,
    events: 0,
    deaths: 0,
  };

  add(round: Round): void {
    this.rounds += 1;
    this.sums.requests += round.recorder.requests + round.followerRequests;
    for (const name of [
      'reads',
      'acknowledged',
      'changes',
      'unknown',
      'refused',
      'events',
      'deaths',
    ] as const) {
      this.sums[name] += round[name];
    }
  }

  line({ anomalies, service, proxy, clock }: Place, seconds: number): string {
    const { requests, reads, acknowledged, changes, unknown, refused, events, deaths } = this.sums;
    const faults = Object.entries(proxy.counts).map(([kind, count]) => `${kind} ${count}`);
    const found = (check: string) =>
      anomalies.found.filter((one) => one.check.includes(check)).length;
    return [
      `${requests} requests over HTTP in ${this.rounds} rounds, ${Math.round(seconds)} s`,
      `network: ${faults.join(', ')}`,
      clock.figures,
      `service killed ${service.kills}, followers killed ${deaths}`,
      `reads ${reads}, writes acknowledged ${acknowledged} with ${changes} changes, unknown ${unknown}, refused ${refused}`,
      `events of followers ${events}`,
      `lost ${found('lost')}, doubled ${found('once') + found('unique')}, reordered ${found('ordered')}`,
      `${anomalies.found.length} anomalies of ${sum(Object.values(anomalies.made))} checks`,
      memoryOf(service.memory),
      `disk ${megabytes(service.diskBytes)}`,
    ].join('; ');
  }
}

async function main(): Promise<void> {
  const [minutes, seed, roundSeconds] = [values.minutes, values.seed, values.round].map(Number) as [
    number,
    number,
    number,
  ];
  if (!(minutes > 0) || !(roundSeconds > 0) || !Number.isInteger(seed)) {
    throw new Error('--minutes and --round are numbers above 0, --seed is a whole number');
  }
  if (values.history !== undefined) rmSync(values.history, { force: true });
  // A monotonic clock, which nobody can set.
  const began = performance.now();
  const service = await Service.start(seed);
  const proxy = new FaultyProxy(service.port, new SeededRandom(seed, 'network'));
  const baseUrl = await proxy.listen();
  const totals = new Totals();
  const anomalies = new Anomalies(() => performance.now() - began);
  const clock = new Clock(values.clock, new SeededRandom(seed, 'clock'));
  const place = { seed, service, proxy, clock, baseUrl, anomalies };
  const seconds = () => (performance.now() - began) / 1000;
  for (let number = 1; number === 1 || seconds() < minutes * 60; number++) {
    const round = new Round(place, number);
    const known = anomalies.found.length;
    await round.run(Math.min(roundSeconds, minutes * 60) * 1000);
    totals.add(round);
    for (const { check, what } of anomalies.found.slice(known)) {
      console.log(`seed ${seed}, round ${number}: ${check}: ${what}`);
    }
    if (values.history !== undefined) appendFileSync(values.history, round.recorder.lines());
    console.log(totals.line(place, seconds()));
    if (anomalies.found.length > 0) break;
  }
  await proxy.close();
  await service.stop();
  if (anomalies.found.length > 0) process.exitCode = 1;
}

/** Whether memory grows: the most of the first and of the last quarter of the samples. */
function memoryOf(samples: readonly number[]): string {
  const quarter = Math.max(1, Math.floor(samples.length / 4));
  const [first, last] = [samples.slice(0, quarter), samples.slice(-quarter)].map((some) =>
    megabytes(Math.max(0, ...some)),
  );
  return `memory of the service at most ${first} in the first quarter, ${last} in the last`;
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1e6)} MB`;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}

void main();
