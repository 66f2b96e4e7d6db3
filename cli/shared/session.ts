/** The session of a command: its output, its progress, its client and its interruption. */
import { setMaxListeners } from 'node:events';
import type { Command } from 'commander';
import { StowageClient } from '../../client/index';
import { EXIT, Interrupted, Reported, UserError } from './errors';
import { Output } from './output';
import { Progress } from './progress';
import { findService, type ServiceOptions } from './service';
import { webSocket } from './web-socket';

export interface GlobalOptions extends ServiceOptions {
  readonly json?: boolean;
  readonly progress?: boolean;
}

export class Session {
  readonly output: Output;
  readonly progress: Progress;
  /** Aborted by Ctrl-C, by SIGTERM, and when the reader of the output has gone. */
  readonly signal: AbortSignal;
  readonly options: GlobalOptions;

  constructor(options: GlobalOptions, signal: AbortSignal) {
    this.options = options;
    this.signal = signal;
    this.output = new Output(options.json ?? false);
    this.progress = new Progress(this.output, options.progress ?? true);
  }

  /** The URL of the service. Throws UserError when nothing names one. */
  get url(): string {
    return findService(this.options).url;
  }

  /** Returns a client of the service. Throws UserError when nothing names a service or a key. */
  async client(options: Pick<ServiceOptions, 'mayBeHere'> = {}): Promise<StowageClient> {
    const { url: baseUrl, key: apiKey } = findService({ ...this.options, ...options });
    const shared = { webSocket: await webSocket(), allowPlainHttp: true };
    return new StowageClient({ baseUrl, apiKey, ...shared });
  }
}

/**
 * The action of a command: `work` receives the session, the arguments, and the options. Reports a
 * failure to the user, and throws Reported.
 */
export function act<Values extends readonly unknown[]>(
  work: (session: Session, ...values: Values) => Promise<void>,
): (...values: unknown[]) => Promise<void> {
  return async (...values) => {
    const command = values.pop() as Command;
    const interruption = new Interruption();
    const session = new Session(command.optsWithGlobals<GlobalOptions>(), interruption.signal);
    try {
      await work(session, ...(values as unknown as Values));
      await written(session.signal);
    } catch (error) {
      // An interruption makes other work fail: report the interruption.
      const reason: unknown = session.signal.aborted ? session.signal.reason : error;
      if (reason instanceof Interrupted) session.output.note(reason.message);
      else if (!(reason instanceof Reported)) session.output.fail(reason);
      throw new Reported(reason);
    } finally {
      session.progress.clear();
      interruption.end();
    }
  };
}

/** Aborts `signal` when the command is interrupted. A second signal ends the process at once. */
class Interruption {
  readonly #stop = new AbortController();
  readonly signal = this.#stop.signal;
  readonly #onInterrupt = () => this.#stop.abort(new Interrupted('interrupted', EXIT.interrupted));
  readonly #onTerminate = () => this.#stop.abort(new Interrupted('terminated', EXIT.terminated));

  constructor() {
    // Each transfer and each wait has a listener.
    setMaxListeners(0, this.signal);
    process.once('SIGINT', this.#onInterrupt);
    process.once('SIGTERM', this.#onTerminate);
    process.stdout.removeAllListeners('error');
    process.stdout.on('error', (error: NodeJS.ErrnoException) => {
      // The reader of the output has closed it: `stowage ls photos | head`.
      if (error.code === 'EPIPE') this.#stop.abort(new Interrupted('', EXIT.done));
      else this.#stop.abort(new OutputLost(`the output cannot be written: ${error.message}`));
    });
  }

  end(): void {
    process.removeListener('SIGINT', this.#onInterrupt);
    process.removeListener('SIGTERM', this.#onTerminate);
  }
}

/** The output cannot be written, for example because the disk is full. */
class OutputLost extends UserError {}

/** Resolves when the output is written. Throws OutputLost. */
async function written(signal: AbortSignal): Promise<void> {
  // Called back before the event that reports an error.
  await new Promise<void>((resolve) => {
    process.stdout.write('', () => setImmediate(resolve));
  });
  if (signal.reason instanceof OutputLost) throw signal.reason;
}
