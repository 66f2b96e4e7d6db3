/** Measures `stowage serve`: its start, each operation over HTTP, processor time and memory. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { bundleClient } from './functions/bundles';
import type { HttpClient } from './http-client';
import { type Machine, machineText } from './machine';
import { table, wrap } from './markdown';
import { sampleMemory } from './memory';
import type { Plan } from './plan';
import { Remote } from './remote';
import { type Side, sideOf } from './side';
import { median } from './statistics';
import { nameOf } from './targets';
import type { Task, Timings } from './task';

interface Served {
  readonly pid: number;
  readonly env: Readonly<Record<string, string>>;
  /** From the start of the process until it says that it is ready, milliseconds. */
  readonly ready: number;
  stop(): Promise<void>;
}

interface Operation extends Task {
  readonly side: Side;
  /** Processor time of the server for a request, milliseconds. */
  readonly processor: number;
}

/** Starts whose median is reported. */
const STARTS = 5;

/** It answers more requests in the same time than the emulator, for which the plan is made. */
const MORE = 8;

/** Returns the report as Markdown. `say` reports the progress. */
export async function measureServed(
  root: string,
  plan: Plan,
  { date, machine }: { readonly date: string; readonly machine: Machine },
  say: (text: string) => void,
): Promise<string> {
  const data = mkdtempSync(path.join(tmpdir(), 'stowage-served-'));
  const starts: number[] = [];
  for (let n = 0; n < STARTS; n++) {
    const started = await start(root, data);
    starts.push(started.ready);
    await started.stop();
  }
  const served = await start(root, data);
  const http = new Remote<HttpClient>(await bundleClient(root, 'http-client'), served.env);
  try {
    await http.call('prepare', { listed: plan.listed });
    const idle = sampleMemory(served.pid).total;
    const operations: Operation[] = [];
    for (const planned of plan.tasks) {
      const task = { ...planned, count: planned.count * MORE };
      const operation = await measureOperation(http, served.pid, task, plan.rounds);
      operations.push(operation);
      say(`${nameOf(operation)}, ${task.concurrency} at a time: ${cells(operation).join(', ')}`);
    }
    const after = sampleMemory(served.pid).total;
    return reportOf({ date, machine, starts, idle, after, operations });
  } finally {
    await http.stop();
    await served.stop();
    rmSync(data, { recursive: true, force: true });
  }
}

async function measureOperation(
  http: Remote<HttpClient>,
  pid: number,
  task: Task,
  rounds: number,
): Promise<Operation> {
  // Warms up, and waits until the disk has what earlier operations wrote.
  await http.call('measure', { ...task, milliseconds: Math.min(500, task.milliseconds) });
  await delay(200);
  const before = processorMs(pid);
  const timings: Timings[] = [];
  for (let round = 0; round < rounds; round++) timings.push(await http.call('measure', task));
  const side = sideOf(timings);
  return { ...task, side, processor: (processorMs(pid) - before) / side.requests };
}

/** Processor time that a process of Linux has used, milliseconds: proc(5), in ticks of 10 ms. */
function processorMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

async function start(root: string, data: string): Promise<Served> {
  const command = [path.join(root, 'dist/cli/stowage.js'), 'serve', '--json', '--no-rate-limits'];
  const began = performance.now();
  const child: ChildProcess = spawn(
    process.execPath,
    [...command, '--port', '0', '--data', path.join(data, 'served')],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const [line] = await once(child.stdout ?? child, 'data');
  const ready = performance.now() - began;
  const { base_url: url, api_key: key } = JSON.parse(String(line));
  return {
    pid: child.pid ?? 0,
    env: { STOWAGE_URL: url, STOWAGE_KEY: key },
    ready,
    stop: async () => {
      const exit = once(child, 'exit');
      child.kill('SIGTERM');
      await exit;
    },
  };
}

function reportOf(results: {
  readonly date: string;
  readonly machine: Machine;
  readonly starts: readonly number[];
  readonly idle: number;
  readonly after: number;
  readonly operations: readonly Operation[];
}): string {
  const { date, machine, starts, idle, after, operations } = results;
  return [
    wrap(
      `${machineText(date, machine)} The service and the load client share these cores. Every ` +
        'write is synced to the disk before its response.',
    ),
    table(
      ['Operation', 'at a time', 'requests/s', 'p50 ms', 'p99 ms', 'processor ms a request'],
      operations.map((one) => [nameOf(one), String(one.concurrency), ...cells(one)]),
    ),
    wrap(
      `Ready ${median(starts).toFixed(0)} ms after the start of the process (median of ${starts.length}). ` +
        `Memory (PSS): ${idle.toFixed(0)} MB before the load, ${after.toFixed(0)} MB after it.`,
    ),
  ].join('\n\n');
}

function cells({ side, processor }: Operation): readonly string[] {
  const { rate, p50, p99 } = side;
  return [rate.toFixed(0), p50.toFixed(2), p99.toFixed(1), processor.toFixed(2)];
}
