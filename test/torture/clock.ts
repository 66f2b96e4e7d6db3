/**
 * The clock of all processes of a run, by libfaketime (https://github.com/wolfcw/libfaketime): they
 * read from a file how far it is ahead of the machine's.
 */
import { renameSync, writeFileSync } from 'node:fs';
import type { SeededRandom } from '../simulation/machine/random';

/** Seconds by which it is set forward. A signed URL of an upload works for longer. */
const STEP = [1, 600] as const;

export class Clock {
  steps = 0;
  private ahead = 0;

  /** Without a file the clock stays as it is. */
  constructor(
    private readonly file: string | undefined,
    private readonly random: SeededRandom,
  ) {}

  setForward(): void {
    if (this.file === undefined) return;
    this.steps += 1;
    this.ahead += this.random.between(...STEP);
    const next = `${this.file}.next`;
    writeFileSync(next, `+${this.ahead}`);
    renameSync(next, this.file);
  }

  get figures(): string {
    return `clock set forward ${this.steps} times by ${this.ahead} s`;
  }
}
