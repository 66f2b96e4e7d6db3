import type { Worker } from 'node:worker_threads';
import { LogFile } from '../../log-file';

/** The log of a function: its output and its failures. */
export class FunctionLog {
  private readonly log: LogFile;

  /** `folder` undefined: standard error. */
  constructor(functionName: string, folder: string | undefined) {
    this.log = new LogFile(functionName, folder);
    // Each worker adds listeners, and there may be many workers.
    this.log.output.setMaxListeners(0);
  }

  attach(worker: Worker): void {
    worker.stdout.pipe(this.log.output, { end: false });
    worker.stderr.pipe(this.log.output, { end: false });
  }

  error(requestId: string | undefined, message: string): void {
    this.log.line(`${new Date().toISOString()}\t${requestId}\tERROR\t${message}`);
  }

  close(): Promise<void> {
    return this.log.close();
  }
}
