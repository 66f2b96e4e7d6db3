/** The programs whose transfers are compared, each in a process of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import path from 'node:path';

/** Of the objects of the client and the command. */
export const BUCKET = 'bench-transfer';

export type Kind = 'upload' | 'download';

export interface Transfer {
  readonly kind: Kind;
  /** The local file. */
  readonly path: string;
  readonly key: string;
}

export interface Program {
  readonly name: string;
  readonly arguments: (transfer: Transfer) => readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

/** What watch.cjs has written. */
export interface Watched {
  /** Bytes of all connections. */
  readonly received: number;
  readonly sent: number;
  /** The largest resident set. */
  readonly peakBytes: number;
  readonly cpuSeconds: number;
}

export interface Started {
  readonly child: ChildProcess;
  /** Resolves with the exit code; null: killed. */
  readonly ended: Promise<number | null>;
  readonly watched: () => Watched;
}

const WATCH = path.join(__dirname, 'watch.cjs');

export function start(program: Program, transfer: Transfer, folder: string): Started {
  const file = path.join(folder, 'watched');
  const args = ['--require', WATCH, ...program.arguments(transfer)];
  const env = { ...process.env, ...program.env, WATCH_FILE: file, XDG_STATE_HOME: folder };
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'inherit'] });
  return {
    child,
    ended: once(child, 'exit').then(([code]) => code as number | null),
    watched: () => JSON.parse(readFileSync(file, 'utf8') || '{"received":0,"sent":0}'),
  };
}
