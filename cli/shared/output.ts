/** Output of a command: lines of text for people, or one JSON value a line for programs. */
import { once } from 'node:events';
import { jsonOf, messageOf } from './errors';
import { shown } from './text';

export class Output {
  readonly isJson: boolean;
  /** Clears the progress line. Called before each line of output. */
  beforeLine: () => void = () => undefined;

  constructor(isJson: boolean) {
    this.isJson = isJson;
  }

  /** Prints a result on standard output. Waits while the reader is slower. */
  async print(value: unknown, text: string): Promise<void> {
    this.beforeLine();
    const line = this.isJson ? JSON.stringify(value) : text;
    if (!process.stdout.write(`${line}\n`)) await once(process.stdout, 'drain');
  }

  /** Prints a note for people on standard error. Prints nothing with `--json`. */
  note(text: string): void {
    this.beforeLine();
    if (!this.isJson && text !== '') process.stderr.write(`${text}\n`);
  }

  /**
   * Reports a failure on standard error. `about` names what failed, when a command does several
   * things.
   */
  fail(error: unknown, about?: string): void {
    this.beforeLine();
    const text = `${about === undefined ? '' : `${shown(about)}: `}${shown(messageOf(error))}`;
    const value = { ...(about !== undefined && { about }), ...jsonOf(error) };
    process.stderr.write(this.isJson ? `${JSON.stringify(value)}\n` : `stowage: ${text}\n`);
  }
}

/** Returns a stream that writes to standard output and does not close it. */
export function standardOutput(): WritableStream<Uint8Array> {
  return new WritableStream({
    async write(chunk) {
      if (!process.stdout.write(chunk)) await once(process.stdout, 'drain');
    },
  });
}
