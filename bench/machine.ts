/** The machine on which the bench runs. */
import { arch, cpus, loadavg, release, totalmem, type } from 'node:os';

export interface Machine {
  readonly processor: string;
  readonly cores: number;
  readonly memoryGb: number;
  readonly system: string;
  readonly node: string;
  /** Load average of the last minute. */
  readonly load: number;
}

export function describeMachine(): Machine {
  const [first] = cpus();
  return {
    processor: first?.model.trim() ?? 'unknown',
    cores: cpus().length,
    memoryGb: Math.round(totalmem() / 1e9),
    system: `${type()} ${release()} ${arch()}`,
    node: process.version,
    load: loadavg()[0] ?? 0,
  };
}

/** One sentence with the time and the machine. */
export function machineText(date: string, machine: Machine): string {
  return (
    `Measured ${date.slice(0, 16).replace('T', ' ')} UTC on ${machine.cores} cores ` +
    `(${machine.processor}), ${machine.memoryGb} GB, ${machine.system}, ` +
    `Node.js ${machine.node}; load average at the start ${machine.load.toFixed(1)}.`
  );
}
