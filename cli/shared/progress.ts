/**
 * The progress line of transfers on a terminal: share, rate and time left. Without a terminal
 * nothing is drawn.
 */
import type { Output } from './output';
import { durationText, shown, sizeText } from './text';

/** Milliseconds between two drawings of the line. */
const DRAW_MS = 100;

/** Window over which the rate is measured. */
const RATE_MS = 5_000;

interface Sample {
  readonly at: number;
  readonly bytes: number;
}

/** The rate of the last seconds. */
export class Rate {
  readonly #samples: Sample[] = [];

  add(sample: Sample): void {
    this.#samples.push(sample);
    const from = sample.at - RATE_MS;
    while ((this.#samples[1]?.at ?? Number.POSITIVE_INFINITY) <= from) this.#samples.shift();
  }

  /** Bytes a second; 0 until it is known. */
  get value(): number {
    const [first, last] = [this.#samples[0], this.#samples.at(-1)];
    if (!first || !last || last.at - first.at < DRAW_MS) return 0;
    return ((last.bytes - first.bytes) * 1000) / (last.at - first.at);
  }
}

export interface ProgressState {
  readonly done: number;
  /** Undefined: not known. */
  readonly total?: number;
  readonly rate: number;
  readonly name: string;
}

/** Returns the line, cut to less than `columns` characters. */
export function progressLine({ done, total, rate, name }: ProgressState, columns: number): string {
  const parts = [sizeText(done)];
  if (total !== undefined) {
    const share = total === 0 ? 100 : Math.floor((done * 100) / total);
    parts[0] = `${String(share).padStart(3)} %  ${sizeText(done)} of ${sizeText(total)}`;
  }
  if (rate > 0) parts.push(`${sizeText(rate)}/s`);
  if (rate > 0 && total !== undefined) parts.push(`${durationText((total - done) / rate)} left`);
  const line = `${parts.join('  ')}  ${shown(name)}`;
  return line.length < columns ? line : `${line.slice(0, Math.max(0, columns - 2))}…`;
}

export class Progress {
  readonly #rate = new Rate();
  readonly #isShown: boolean;
  readonly #done = new Map<object, number>();
  #finished = 0;
  #total: number | undefined;
  #name = '';
  #drawnAt = 0;
  #hasLine = false;

  constructor(output: Output, isWanted: boolean) {
    this.#isShown = isWanted && !output.isJson && process.stderr.isTTY === true;
    if (this.#isShown) output.beforeLine = () => this.clear();
  }

  /** Adds bytes to the total. `undefined` makes the total unknown. */
  expect(bytes: number | undefined): void {
    this.#total = bytes === undefined ? undefined : (this.#total ?? 0) + bytes;
  }

  /** Begins a transfer. Call `at` with its bytes so far, and `end` when it has ended. */
  begin(name: string): { readonly at: (bytes: number) => void; readonly end: () => void } {
    const transfer = {};
    this.#done.set(transfer, 0);
    return {
      at: (bytes) => {
        this.#done.set(transfer, bytes);
        this.#name = name;
        this.#draw();
      },
      end: () => {
        this.#finished += this.#done.get(transfer) ?? 0;
        this.#done.delete(transfer);
      },
    };
  }

  clear(): void {
    if (this.#hasLine) process.stderr.write('\r\u001b[K');
    this.#hasLine = false;
    this.#drawnAt = 0;
  }

  #draw(): void {
    const now = performance.now();
    if (!this.#isShown || now - this.#drawnAt < DRAW_MS) return;
    const done = [...this.#done.values()].reduce((sum, bytes) => sum + bytes, this.#finished);
    this.#rate.add({ at: now, bytes: done });
    const state = { done, total: this.#total, rate: this.#rate.value, name: this.#name };
    process.stderr.write(`\r\u001b[K${progressLine(state, process.stderr.columns ?? 80)}`);
    this.#hasLine = true;
    this.#drawnAt = now;
  }
}
