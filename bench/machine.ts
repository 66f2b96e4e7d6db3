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
