/** The built command `stowage` in a process of its own, which a test can kill. */
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { Running } from '../../support/local-service/start-local-service';
import { until } from '../../support/until';

const SCRIPT = path.join(__dirname, '../../../dist/cli/stowage.js');

export type Target = Pick<Running, 'baseUrl' | 'apiKey'>;

export interface Ended {
  /** The exit code; null when a signal has ended the command. */
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface StartOptions {
  /** More variables of the environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** An open file that receives the standard output. */
  readonly stdout?: number;
}

/** Starts a command in a folder, where it also keeps its configuration and state. */
export function startCommand(
  folder: string,
  service: Target,
  args: readonly string[],
  { env, stdout }: StartOptions = {},
): RunningCommand {
  return new RunningCommand(args, {
    cwd: folder,
    env: environmentOf(folder, service, env),
    stdio: ['ignore', stdout ?? 'pipe', 'pipe'],
  });
}

export function environmentOf(
  folder: string,
  service: Target,
  more: StartOptions['env'] = {},
): NodeJS.ProcessEnv {
  const { PATH, AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED } = process.env;
  return {
    ...{ PATH, AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED },
    XDG_CONFIG_HOME: path.join(folder, '.config'),
    XDG_STATE_HOME: path.join(folder, '.state'),
    STOWAGE_URL: service.baseUrl,
    STOWAGE_KEY: service.apiKey,
    ...more,
  };
}

export class RunningCommand {
  stdout = '';
  stderr = '';
  readonly #child: ChildProcess;
  readonly #closed: Promise<unknown>;

  constructor(args: readonly string[], options: SpawnOptions) {
    this.#child = spawn(process.execPath, [SCRIPT, ...args], options);
    this.#closed = once(this.#child, 'close');
    const end = () => this.#child.kill('SIGKILL');
    process.once('exit', end);
    this.#child.once('exit', () => process.removeListener('exit', end));
    this.#child.stdout?.on('data', (chunk) => {
      this.stdout += chunk;
    });
    this.#child.stderr?.on('data', (chunk) => {
      this.stderr += chunk;
    });
  }

  /** Waits for the end. */
  async ended(): Promise<Ended> {
    await this.#closed;
    return { status: this.#child.exitCode, stdout: this.stdout, stderr: this.stderr };
  }

  /** Stops reading its standard output, as `stowage ls | head` does. */
  closeOutput(): void {
    this.#child.stdout?.destroy();
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  get output(): string {
    return this.stdout + this.stderr;
  }

  /** Waits until the command has printed the text. */
  async printed(text: string): Promise<void> {
    await until(`the command prints ${text}`, () => {
      if (!this.isRunning) throw new Error(`the command has ended:\n${this.output}`);
      return this.output.includes(text);
    }).catch((error) => {
      throw new Error(`${error}\n${this.output.slice(-3_000)}`);
    });
  }

  /** Sends the signal and returns the exit code; null when the signal has ended the command. */
  async end(signal: NodeJS.Signals): Promise<number | null> {
    if (this.isRunning) {
      const exit = once(this.#child, 'exit');
      this.#child.kill(signal);
      await exit;
    }
    return this.#child.exitCode;
  }
}
