/**
 * Calls between the bench and its load clients. Each load client is a process of its own, so that
 * it slows down neither the bench nor another client.
 */
import { type ChildProcess, fork, type StdioOptions } from 'node:child_process';
import { once } from 'node:events';

export type Methods = Readonly<Record<string, (argument: never) => Promise<unknown>>>;

interface Request {
  readonly id: number;
  readonly method: string;
  readonly argument: unknown;
}

interface Reply {
  readonly id: number;
  readonly value?: unknown;
  readonly error?: string;
}

/** Runs in the child: serves the parent's calls until the parent disconnects. */
export function serve(methods: Methods): void {
  process.on('message', async ({ id, method, argument }: Request) => {
    let reply: Reply;
    try {
      reply = { id, value: await methods[method]?.(argument as never) };
    } catch (error) {
      reply = { id, error: error instanceof Error ? (error.stack ?? error.message) : `${error}` };
    }
    process.send?.(reply);
  });
  process.once('disconnect', () => process.exit());
}

/** Used by the parent: a child process that serves the methods `M`. */
export class Remote<M extends Methods> {
  private readonly child: ChildProcess;
  private readonly waiting = new Map<number, (reply: Reply) => void>();
  private calls = 0;

  /** `options`: of Node.js. What the child writes to stdout is dropped. */
  constructor(script: string, env: NodeJS.ProcessEnv, options: readonly string[] = []) {
    const stdio: StdioOptions = ['ignore', 'pipe', 'inherit', 'ipc'];
    this.child = fork(script, { env, execArgv: [...options], stdio });
    this.child.stdout?.resume();
    this.child.on('message', (reply: Reply) => this.waiting.get(reply.id)?.(reply));
    this.child.once('exit', (code) => {
      const error = `${script} ended with exit code ${code}`;
      for (const [id, settle] of this.waiting) settle({ id, error });
    });
  }

  async call<K extends keyof M & string>(
    method: K,
    argument: Parameters<M[K]>[0],
  ): Promise<Awaited<ReturnType<M[K]>>> {
    const id = ++this.calls;
    const reply = await new Promise<Reply>((resolve) => {
      this.waiting.set(id, resolve);
      this.child.send({ id, method, argument });
    });
    this.waiting.delete(id);
    if (reply.error !== undefined) throw new Error(`${method} failed: ${reply.error}`);
    return reply.value as Awaited<ReturnType<M[K]>>;
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const exit = once(this.child, 'exit');
    this.child.disconnect();
    await exit;
  }
}
