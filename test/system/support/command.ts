/** The command `stowage` for a service, in a folder of its own. */
import { type Ended, runInProcess } from './in-process';
import {
  environmentOf,
  type RunningCommand,
  type StartOptions,
  startCommand,
  type Target,
} from './running-command';

export interface CommandOptions {
  readonly input?: string | Buffer;
  readonly env?: StartOptions['env'];
}

export class Command {
  readonly #folder: string;
  readonly #service: Target;

  /** `folder`: where commands run, and keep their configuration and state. */
  constructor(folder: string, service: Target) {
    this.#folder = folder;
    this.#service = service;
  }

  /** Runs a command to its end, in this process. */
  run(args: readonly string[], { input, env }: CommandOptions = {}): Promise<Ended> {
    const all = environmentOf(this.#folder, this.#service, env);
    return runInProcess(args, { folder: this.#folder, env: all, input });
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

  /** Starts the built command in a process of its own. */
  start(args: readonly string[], options: StartOptions = {}): RunningCommand {
    return startCommand(this.#folder, this.#service, args, options);
  }
}
