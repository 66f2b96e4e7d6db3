import {
  createWriteStream,
  existsSync,
  mkdirSync,
  renameSync,
  statSync,
  type WriteStream,
} from 'node:fs';
import { join } from 'node:path';

/** A log above this size (bytes) is moved to `<name>.log.1` when it is opened. */
const ROTATE_ABOVE = 10 * 1024 * 1024;

/** A log: the file `<folder>/<name>.log`, or standard error. */
export class LogFile {
  readonly output: NodeJS.WritableStream;
  private readonly file: WriteStream | undefined;

  /** `folder` undefined: standard error. */
  constructor(name: string, folder: string | undefined) {
    if (folder !== undefined) {
      mkdirSync(folder, { recursive: true });
      const path = join(folder, `${name}.log`);
      if (existsSync(path) && statSync(path).size > ROTATE_ABOVE) renameSync(path, `${path}.1`);
      this.file = createWriteStream(path, { flags: 'a', mode: 0o600 });
      // A full disk loses log lines, and does not end the emulator.
      this.file.on('error', (error) => process.stderr.write(`${path}: ${error.message}\n`));
    }
    this.output = this.file ?? process.stderr;
  }

  line(text: string): void {
    this.output.write(`${text}\n`);
  }

  async close(): Promise<void> {
    const { file } = this;
    if (file === undefined || file.closed) return;
    await new Promise<void>((resolve) => {
      file.once('close', resolve);
      file.end();
    });
  }
}
