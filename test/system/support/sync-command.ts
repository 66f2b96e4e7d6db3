/** `stowage sync` as a user runs it: a process of its own, which a test can kill. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { until } from '../../support/until';
import type { Running } from './local-service';

const COMMAND = path.join(__dirname, '..', '..', '..', 'dist', 'cli', 'stowage.js');

export interface Place {
  readonly service: Pick<Running, 'baseUrl' | 'apiKey'>;
  /** Where the command keeps its state. */
  readonly state: string;
  /** More variables. */
  readonly env?: NodeJS.ProcessEnv;
}

function environmentOf({ service, state, env }: Place): NodeJS.ProcessEnv {
  return {
    ...process.env,
    ...env,
    XDG_STATE_HOME: state,
    STOWAGE_URL: service.baseUrl,
    STOWAGE_KEY: service.apiKey,
  };
}

export interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the command to its end. */
export function stowage(place: Place, ...args: readonly string[]): Ended {
  const { status, stdout, stderr } = spawnSync(process.execPath, [COMMAND, ...args], {
    env: environmentOf(place),
    encoding: 'utf8',
    maxBuffer: 1024 ** 3,
  });
  return { status, stdout, stderr };
}

/** What the lines of `--json` say. */
export function jsonLines(text: string): readonly Record<string, unknown>[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

/** A command that runs until it is ended. */
export class RunningCommand {
  stdout = '';
  stderr = '';
  readonly #child: ChildProcess;

  constructor(place: Place, args: readonly string[]) {
    this.#child = spawn(process.execPath, [COMMAND, ...args], {
      env: environmentOf(place),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
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
    if (this.isRunning) await once(this.#child, 'close');
    return { status: this.#child.exitCode, stdout: this.stdout, stderr: this.stderr };
  }

  /** The reader of its standard output goes away. */
  closeOutput(): void {
    this.#child.stdout?.destroy();
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  get output(): string {
    return this.stdout + this.stderr;
  }

  /** Waits until the command has printed it. */
  async printed(text: string): Promise<void> {
    await until(`the command prints ${text}`, () => {
      if (!this.isRunning) throw new Error(`the command has ended:\n${this.output}`);
      return this.output.includes(text);
    }).catch((error) => {
      throw new Error(`${error}\n${this.output.slice(-3_000)}`);
    });
  }

  /** Sends the signal and returns the exit code. */
  async end(signal: NodeJS.Signals): Promise<number | null> {
    if (this.isRunning) {
      const exit = once(this.#child, 'exit');
      this.#child.kill(signal);
      await exit;
    }
    return this.#child.exitCode;
  }
}
