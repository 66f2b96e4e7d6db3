import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  renameSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';

/** A log above this size (bytes) is moved to `<name>.log.1` when it is opened. */
const ROTATE_ABOVE = 10 * 1024 * 1024;

/**
 * A log: the file `<folder>/<name>.log`, or standard error. The lines of one turn of the event loop
 * are one synchronous write: a write through the thread pool costs several times as much, and much
 * of a small request.
 */
export class LogFile {
  /** undefined: standard error. */
  readonly path: string | undefined;
  private descriptor: number | undefined;
  private pending = '';
  private flush: NodeJS.Immediate | undefined;

  /** `folder` undefined: standard error. */
  constructor(name: string, folder: string | undefined) {
    if (folder === undefined) return;
    mkdirSync(folder, { recursive: true });
    this.path = join(folder, `${name}.log`);
    if (existsSync(this.path) && statSync(this.path).size > ROTATE_ABOVE) {
      renameSync(this.path, `${this.path}.1`);
    }
    this.descriptor = openSync(this.path, 'a', 0o600);
  }

  line(text: string): void {
    this.pending += `${text}\n`;
    this.flush ??= setImmediate(() => this.write());
  }

  /** Later lines are discarded. */
  close(): void {
    this.write();
    if (this.descriptor !== undefined) closeSync(this.descriptor);
    this.descriptor = undefined;
  }

  private write(): void {
    clearImmediate(this.flush);
    this.flush = undefined;
    const text = this.pending;
    this.pending = '';
    if (text === '') return;
    if (this.path === undefined) process.stderr.write(text);
    else if (this.descriptor !== undefined) this.append(this.descriptor, Buffer.from(text));
  }

  /** A full disk loses log lines, and does not end the emulator. */
  private append(descriptor: number, bytes: Buffer): void {
    try {
      for (let written = 0; written < bytes.length; ) {
        written += writeSync(descriptor, bytes, written);
      }
    } catch (error) {
      process.stderr.write(`${this.path}: ${String(error)}\n`);
    }
  }
}
