/** The command `stowage` for a service, in a folder of its own. */
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { until } from '../../support/until';
import { type Ended, runInProcess } from './in-process';
import type { Running } from './local-service';

const SCRIPT = path.join(__dirname, '../../../dist/cli/stowage.js');

export interface CommandOptions {
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
}

export class Command {
  readonly #folder: string;
  readonly #service: Pick<Running, 'baseUrl' | 'apiKey'>;

  /** `folder`: where commands run, and keep their configuration and state. */
  constructor(folder: string, service: Pick<Running, 'baseUrl' | 'apiKey'>) {
    this.#folder = folder;
    this.#service = service;
  }

  /** Runs a command to its end, in this process. */
  run(args: readonly string[], { input, env }: CommandOptions = {}): Promise<Ended> {
    return runInProcess(args, { folder: this.#folder, env: this.#environment(env), input });
  }

  /** Runs a command that must succeed, and returns what it prints. */
  async lines(...args: readonly string[]): Promise<readonly string[]> {
    const { status, stdout, stderr } = await this.run(args);
    if (status !== 0) throw new Error(`stowage ${args.join(' ')}: exit ${status}: ${stderr}`);
    return stdout.split('\n').slice(0, -1);
  }

  /** As `lines`, each parsed: what `--json` prints. */
  async json(...args: readonly string[]): Promise<readonly Readonly<Record<string, unknown>>[]> {
    return (await this.lines(...args, '--json')).map((line) => JSON.parse(line));
  }

  /** Starts the built command in a process of its own. `stdout`: an open file. */
  start(
    args: readonly string[],
    { env, stdout }: { readonly env?: CommandOptions['env']; readonly stdout?: number } = {},
  ): RunningCommand {
    return new RunningCommand(args, {
      cwd: this.#folder,
      env: this.#environment(env),
      stdio: ['ignore', stdout ?? 'pipe', 'pipe'],
    });
  }

  #environment(more: CommandOptions['env'] = {}): NodeJS.ProcessEnv {
    const { PATH, AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED } = process.env;
    return {
      ...{ PATH, AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED },
      XDG_CONFIG_HOME: path.join(this.#folder, '.config'),
      XDG_STATE_HOME: path.join(this.#folder, '.state'),
      STOWAGE_URL: this.#service.baseUrl,
      STOWAGE_KEY: this.#service.apiKey,
      ...more,
    };
  }
}

/** A command in a process of its own, which a test can kill. */
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
