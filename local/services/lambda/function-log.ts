import {
  createWriteStream,
  existsSync,
  mkdirSync,
  renameSync,
  statSync,
  type WriteStream,
} from 'node:fs';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';

/** A log above this size (bytes) is moved to `<name>.log.1` at the next start. */
const ROTATE_ABOVE = 10 * 1024 * 1024;

/** What a function prints and how it fails: in a file, or on this process's standard error. */
export class FunctionLog {
  private readonly file: WriteStream | undefined;
  private readonly output: NodeJS.WritableStream;

  /** `folder` undefined: standard error. */
  constructor(functionName: string, folder: string | undefined) {
    if (folder !== undefined) {
      mkdirSync(folder, { recursive: true });
      const path = join(folder, `${functionName}.log`);
      if (existsSync(path) && statSync(path).size > ROTATE_ABOVE) renameSync(path, `${path}.1`);
      this.file = createWriteStream(path, { flags: 'a' });
      // A full disk must not end the runtime; what is lost is the log.
      this.file.on('error', (error) => process.stderr.write(`${path}: ${error.message}\n`));
    }
    this.output = this.file ?? process.stderr;
    // One listener for each worker that is piped here; there may be many.
    this.output.setMaxListeners(0);
  }

  attach(worker: Worker): void {
    worker.stdout.pipe(this.output, { end: false });
    worker.stderr.pipe(this.output, { end: false });
  }

  error(requestId: string | undefined, message: string): void {
    this.output.write(
      `${new Date().toISOString()}\t${requestId}\tERROR\tInvoke Error\t${message}\n`,
    );
  }

  async close(): Promise<void> {
    const { file } = this;
    if (file === undefined) return;
    await new Promise<void>((resolve) => file.end(resolve));
  }
}
