/**
 * `npm run simulate -- --seed N --events M [--seeds K] [--minimise]` ends with one line of figures.
 * Seconds are of the processor. `--history FOLDER` writes what the writers of each seed have sent
 * and received to a file of that folder, for the checker of test/linearizability. With `--writers`
 * it simulates one bucket under load instead: docs/scale.md.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { HistoryRecorder } from '../linearizability/recorder';
import { simulateLoad } from './load/load';
import { linesOf } from './load/summary';
import { FAULT_KINDS } from './machine/faults';
import { minimise } from './minimise';
import type { Anomaly } from './records/anomalies';
import { type Report, type RunOptions, simulate } from './run';
import { OPERATIONS } from './workload/actors';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    seeds: { type: 'string', default: '1' },
    events: { type: 'string', default: '1000' },
    minimise: { type: 'boolean', default: false },
    history: { type: 'string' },
    writers: { type: 'string' },
    rate: { type: 'string', default: '100' },
    seconds: { type: 'string', default: '30' },
    followers: { type: 'string', default: '0' },
    keys: { type: 'string', default: '1000000' },
    changes: { type: 'string', default: '1' },
    lease: { type: 'string', default: '1' },
    splits: { type: 'string', default: '0' },
    throttle: { type: 'string', default: '10000' },
  },
});

/** Adds up what several simulations report. */
class Totals {
  private events = 0;
  private anomalies = 0;
  private readonly failing: number[] = [];
  private readonly faults: Record<string, number> = {};
  private readonly operations: Record<string, number> = {};
  readonly checks: Record<string, number> = {};

  add(report: Report): void {
    this.events += report.events;
    this.anomalies += report.anomalies.length;
    if (report.anomalies.length > 0) this.failing.push(report.seed);
    addTo(this.faults, report.faults);
    addTo(this.operations, report.operations);
    addTo(this.checks, report.checks);
  }

  /** Kinds of faults and of operations that have not happened. */
  get missing(): readonly string[] {
    const operations = OPERATIONS.filter((kind) => !this.operations[kind]);
    return [...FAULT_KINDS.filter((kind) => !this.faults[kind]), ...operations];
  }

  get isFailed(): boolean {
    return this.anomalies > 0;
  }

  line(seeds: number, seconds: number): string {
    const faults = FAULT_KINDS.map((kind) => `${kind} ${this.faults[kind] ?? 0}`).join(', ');
    const operations = OPERATIONS.map((kind) => `${kind} ${this.operations[kind] ?? 0}`).join(', ');
    const failing = this.isFailed ? ` (seeds ${this.failing.slice(0, 20).join(', ')})` : '';
    const rate = Math.round(this.events / seconds);
    return `${this.events} events of ${seeds} seeds; operations: ${operations}; faults: ${faults}; ${this.anomalies} anomalies${failing}; ${rate} events a second of processor time`;
  }
}

function addTo(sums: Record<string, number>, counts: Readonly<Record<string, number>>): void {
  for (const [name, count] of Object.entries(counts)) sums[name] = (sums[name] ?? 0) + count;
}

/** So many have every kind of fault, or the simulation does not try what it says. */
const ENOUGH_SEEDS = 500;

/** How many simulations one progress line stands for. */
const PROGRESS = 500;

async function load(writers: number): Promise<void> {
  const options = {
    ...{ seed: Number(values.seed), writers, rate: Number(values.rate) },
    ...{ seconds: Number(values.seconds), followers: Number(values.followers) },
    ...{ keys: Number(values.keys), changes: Number(values.changes) },
    lease: Number(values.lease),
    ...{ splits: Number(values.splits), stageRate: Number(values.throttle) },
  };
  for (const [name, number] of Object.entries(options)) {
    const least = name === 'followers' || name === 'splits' ? 0 : 1;
    if (!Number.isInteger(number) || number < least) {
      throw new Error(`${name} is a whole number from ${least} on`);
    }
  }
  const report = await simulateLoad(options);
  for (const line of linesOf(report, options)) console.log(line);
  if (report.anomalies.length > 0) process.exitCode = 1;
}

async function main(): Promise<void> {
  const [first, seeds, events] = [values.seed, values.seeds, values.events].map(Number);
  if (!first || !seeds || !events) {
    throw new Error('--seed, --seeds and --events are whole numbers from 1 on');
  }
  const totals = new Totals();
  const began = process.cpuUsage();
  const seconds = () => {
    const { user, system } = process.cpuUsage(began);
    return (user + system) / 1e6;
  };
  for (let done = 1; done <= seeds; done++) {
    const options = { seed: first + done - 1, events };
    const recorder = values.history === undefined ? undefined : new HistoryRecorder();
    const report = await simulate({ ...options, ...(recorder && { recorder }) });
    if (recorder) writeHistory(options.seed, recorder);
    totals.add(report);
    for (const anomaly of report.anomalies) console.log(text(options.seed, anomaly));
    if (report.anomalies.length > 0 && values.minimise) await printSmaller(options);
    if (done % PROGRESS === 0 && done < seeds) console.log(totals.line(done, seconds()));
  }
  console.log(totals.line(seeds, seconds()));
  const missing = seeds >= ENOUGH_SEEDS ? totals.missing : [];
  if (missing.length > 0) console.log(`never happened: ${missing.join(', ')}`);
  if (totals.isFailed || missing.length > 0) process.exitCode = 1;
}

function writeHistory(seed: number, recorder: HistoryRecorder): void {
  const { history = '' } = values;
  mkdirSync(history, { recursive: true });
  writeFileSync(path.join(history, `${seed}.jsonl`), recorder.lines());
}

function text(seed: number, { check, what, event }: Anomaly): string {
  return `seed ${seed}, event ${event}: ${check}: ${what}`;
}

async function printSmaller(options: RunOptions): Promise<void> {
  const smaller = await minimise(options);
  if (!smaller) return;
  const { fired, performed, faults, anomalies, events } = smaller.report;
  const kinds = Object.entries(faults).flatMap(([kind, count]) => (count > 0 ? [kind] : []));
  console.log(
    `seed ${options.seed} still fails with ${fired.length} faults (${kinds.join(', ')}), ${performed.length} operations (${performed.join(', ')}) and ${events} events:`,
  );
  for (const anomaly of anomalies) console.log(`  ${text(options.seed, anomaly)}`);
}

void (values.writers === undefined ? main() : load(Number(values.writers)));
