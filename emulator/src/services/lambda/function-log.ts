import type { Worker } from 'node:worker_threads';
import { LogFile } from '../../machine/log-file';
import type { FunctionConfiguration } from './function-configuration';

/** The log of a function: its output and its failures. */
export class FunctionLog {
  private readonly log: LogFile;
  private readonly logsJson: boolean;

  /** `folder` undefined: standard error. */
  constructor(
    { functionName, logsJson }: Pick<FunctionConfiguration, 'functionName' | 'logsJson'>,
    folder: string | undefined,
  ) {
    this.log = new LogFile(functionName, folder);
    this.logsJson = logsJson;
  }

  /** The file to which the threads of the function append; undefined: standard error. */
  get path(): string | undefined {
    return this.log.path;
  }

  /** Passes the output of a thread to standard error, unless the thread appends to the file. */
  attach(worker: Worker): void {
    if (this.path !== undefined) return;
    for (const output of [worker.stdout, worker.stderr]) {
      output.on('data', (chunk: Buffer) => process.stderr.write(chunk));
    }
  }

  error(requestId: string | undefined, message: string): void {
    const timestamp = new Date().toISOString();
    this.log.line(
      this.logsJson
        ? JSON.stringify({ timestamp, level: 'ERROR', requestId, message })
        : `${timestamp}\t${requestId}\tERROR\t${message}`,
    );
  }

  close(): void {
    this.log.close();
  }
}
