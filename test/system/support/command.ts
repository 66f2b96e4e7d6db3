/** The built command `stowage`, in its own process, with folders of its own. */
import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { Running } from './local-service';

const SCRIPT = path.join(__dirname, '../../../dist/cli/stowage.js');

export interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CommandOptions {
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** An open file that receives the standard output. */
  readonly stdout?: number;
}

export class Command {
  readonly #folder: string;
  readonly #service: Pick<Running, 'baseUrl' | 'apiKey'>;

  /** `folder`: where commands run, and keep their configuration and state. */
  constructor(folder: string, service: Pick<Running, 'baseUrl' | 'apiKey'>) {
    this.#folder = folder;
    this.#service = service;
  }

  start(args: readonly string[], env: CommandOptions['env'] = {}): ChildProcessWithoutNullStreams {
    return this.#spawn(args, env, 'pipe') as ChildProcessWithoutNullStreams;
  }

  #spawn(
    args: readonly string[],
    env: CommandOptions['env'] = {},
    stdout: number | 'pipe' = 'pipe',
  ): ChildProcess {
    return spawn(process.execPath, [SCRIPT, ...args], {
      stdio: ['pipe', stdout, 'pipe'],
      cwd: this.#folder,
      env: {
        PATH: process.env.PATH,
        XDG_CONFIG_HOME: path.join(this.#folder, '.config'),
        XDG_STATE_HOME: path.join(this.#folder, '.state'),
        STOWAGE_URL: this.#service.baseUrl,
        STOWAGE_KEY: this.#service.apiKey,
        ...env,
      },
    });
  }

  /** Runs a command to its end. */
  async run(
    args: readonly string[],
    { input = '', env, stdout }: CommandOptions = {},
  ): Promise<Ended> {
    const child = this.#spawn(args, env, stdout);
    const output = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) {
      child[name]?.setEncoding('utf8').on('data', (text) => {
        output[name] += text;
      });
    }
    child.stdin?.on('error', () => undefined).end(input);
    const [status] = await once(child, 'close');
    return { status, ...output };
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
}
