/** What a command prints: one line for people, or one JSON value a line for programs. */
import { once } from 'node:events';
import { jsonOf, messageOf } from './errors';
import { shown } from './text';

export class Output {
  readonly isJson: boolean;
  /** Clears the line of the progress, where there is one. */
  beforeLine: () => void = () => undefined;

  constructor(isJson: boolean) {
    this.isJson = isJson;
  }

  /** A result, on standard output. Waits for a reader that is slower. */
  async print(value: unknown, text: string): Promise<void> {
    this.beforeLine();
    const line = this.isJson ? JSON.stringify(value) : text;
    if (!process.stdout.write(`${line}\n`)) await once(process.stdout, 'drain');
  }

  /** What people want to know besides, on standard error. */
  note(text: string): void {
    this.beforeLine();
    if (!this.isJson && text !== '') process.stderr.write(`${text}\n`);
  }

  /** A failure, on standard error. `about`: what failed, where a command does many things. */
  fail(error: unknown, about?: string): void {
    this.beforeLine();
    const text = `${about === undefined ? '' : `${shown(about)}: `}${shown(messageOf(error))}`;
    const value = { ...(about !== undefined && { about }), ...jsonOf(error) };
    process.stderr.write(this.isJson ? `${JSON.stringify(value)}\n` : `stowage: ${text}\n`);
  }
}

/** Standard output as a stream that stays open. */
export function standardOutput(): WritableStream<Uint8Array> {
  return new WritableStream({
    async write(chunk) {
      if (!process.stdout.write(chunk)) await once(process.stdout, 'drain');
    },
  });
}
