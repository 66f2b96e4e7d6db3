/**
 * Uploads and downloads of one large file by the client and by the command, in turns with the
 * managed upload of the SDK and its ranged downloads straight from S3; then both again by a command
 * that is killed at random moments.
 */
import { randomFillSync } from 'node:crypto';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { sha256Of } from '../../cli/sync/local-files';
import { StowageClient } from '../../client';
import { bundleClient } from '../functions/bundles';
import type { Service } from '../service';
import { BUCKET, type Kind, type Program, start, type Transfer, type Watched } from './programs';

export interface TransferPlan {
  readonly bytes: number;
  readonly rounds: number;
  readonly kills: number;
}

export interface Run extends Watched {
  readonly program: string;
  readonly kind: Kind;
  readonly round: number;
  readonly seconds: number;
}

export interface KilledRun {
  readonly kind: Kind;
  readonly kills: number;
  /** Bytes sent or received more than the content has, protocol overhead included. */
  readonly again: number;
}

export interface TransferFigures extends TransferPlan {
  readonly runs: readonly Run[];
  readonly killed: readonly KilledRun[];
}

const KINDS = ['upload', 'download'] as const;
const MIB = 1024 ** 2;
/** A process needs about so long until it transfers. */
const START_MS = 300;

/** Throws when a transfer fails, or the downloaded bytes are not those that were uploaded. */
export async function measureTransfers(
  root: string,
  service: Service,
  plan: TransferPlan,
  say: (text: string) => void,
): Promise<TransferFigures> {
  const folder = mkdtempSync(path.join(tmpdir(), 'stowage-bench-'));
  const { STOWAGE_URL: baseUrl = '', STOWAGE_KEY: apiKey } = service.clientEnv;
  try {
    await new StowageClient({ baseUrl, apiKey }).buckets.create(BUCKET);
    writeContent(path.join(folder, 'content'), plan.bytes);
    const programs = await programsOf(root, service);
    const measured = new Measurement(folder, plan, say);
    const runs: Run[] = [];
    for (let round = 0; round < plan.rounds; round++) {
      for (const kind of KINDS) {
        for (const program of programs) runs.push(await measured.run(program, kind, round));
      }
    }
    const killed: KilledRun[] = [];
    const command = programs.at(-1);
    for (const kind of command ? KINDS : []) {
      const seconds = runs.filter((run) => run.kind === kind).at(-1)?.seconds ?? 0;
      if (command) killed.push(await measured.kill(command, kind, seconds));
    }
    return { ...plan, runs, killed };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The SDK first: the others are compared with it. */
async function programsOf(
  root: string,
  { clientEnv, sdkEnv }: Service,
): Promise<readonly Program[]> {
  const [sdk, client] = await Promise.all(
    ['sdk', 'client'].map((name) => bundleClient(root, `transfer/${name}-program`)),
  );
  const bundled = (script = '') => ({
    arguments: (transfer: Transfer) => [script, JSON.stringify(transfer)],
  });
  const command = path.join(root, 'dist/cli/stowage.js');
  return [
    { name: 'SDK', ...bundled(sdk), env: sdkEnv },
    { name: 'client', ...bundled(client), env: clientEnv },
    {
      name: 'command',
      arguments: ({ kind, path: file, key }) => {
        const object = `${BUCKET}:${key}`;
        return [command, 'cp', ...(kind === 'upload' ? [file, object] : [object, file])];
      },
      env: clientEnv,
    },
  ];
}

class Measurement {
  readonly #folder: string;
  readonly #plan: TransferPlan;
  readonly #say: (text: string) => void;

  constructor(folder: string, plan: TransferPlan, say: (text: string) => void) {
    this.#folder = folder;
    this.#plan = plan;
    this.#say = say;
  }

  async run(program: Program, kind: Kind, round: number): Promise<Run> {
    const transfer = this.#transfer(kind, keyOf(program, round));
    const before = performance.now();
    const { ended, watched } = start(program, transfer, this.#folder);
    const code = await ended;
    const seconds = (performance.now() - before) / 1000;
    if (code !== 0) throw new Error(`${kind} by ${program.name} ended with exit code ${code}`);
    await this.#check(transfer);
    const rate = this.#plan.bytes / 1e6 / seconds;
    this.#say(`${kind} by ${program.name}: ${rate.toFixed(0)} MB/s`);
    return { program: program.name, kind, round, seconds, ...watched() };
  }

  /** `seconds`: how long the transfer takes that nobody interrupts. */
  async kill(program: Program, kind: Kind, seconds: number): Promise<KilledRun> {
    const { bytes, kills: wanted } = this.#plan;
    const transfer = this.#transfer(kind, 'killed');
    // So that most of the runs end before the transfer does.
    const longest = (2 * seconds * 1000) / (wanted + 2);
    let moved = 0;
    for (let kills = 0; ; kills++) {
      const { child, ended, watched } = start(program, transfer, this.#folder);
      const stop = new AbortController();
      if (kills < wanted) {
        delay(START_MS + Math.random() * longest, undefined, stop).then(
          () => child.kill('SIGKILL'),
          () => undefined,
        );
      }
      const code = await ended;
      stop.abort();
      moved += watched()[kind === 'upload' ? 'sent' : 'received'];
      if (code === null) continue;
      if (code !== 0) throw new Error(`${kind} after a kill ended with exit code ${code}`);
      await this.#check(transfer);
      this.#say(`${kind} killed ${kills} times: ${((moved - bytes) / MIB).toFixed(1)} MiB again`);
      return { kind, kills, again: moved - bytes };
    }
  }

  #transfer(kind: Kind, key: string): Transfer {
    return { kind, key, path: path.join(this.#folder, kind === 'upload' ? 'content' : 'copy') };
  }

  async #check({ kind, path: copy }: Transfer): Promise<void> {
    if (kind === 'upload') return;
    const { signal } = new AbortController();
    const content = path.join(this.#folder, 'content');
    const [was, is] = [await sha256Of(content, signal), await sha256Of(copy, signal)];
    if (was !== is) throw new Error('the file has changed on its way');
    rmSync(copy);
  }
}

/** A blob is written once, by the bucket's policy. */
function keyOf({ name }: Program, round: number): string {
  return name === 'SDK' ? `objects/bench.0/${round}/content` : name;
}

function writeContent(file: string, bytes: number): void {
  const handle = openSync(file, 'w');
  const block = Buffer.alloc(MIB);
  for (let at = 0; at < bytes; at += MIB) {
    randomFillSync(block);
    writeSync(handle, block, 0, Math.min(MIB, bytes - at));
  }
  closeSync(handle);
}
