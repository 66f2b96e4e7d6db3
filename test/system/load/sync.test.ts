/**
 * `stowage sync --watch` in both directions, with random edits of the sources and SIGKILL of the
 * service and of the commands: in the end each destination is what its source is. SYNC_SEED repeats
 * the choices of one run.
 */
import { randomInt } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type CommitChange, StowageClient } from '../../../client';
import { temporaryFolder } from '../../support/temporary-folder';
import { until } from '../../support/until';
import { inParallel } from '../support/client';
import { randomOf } from '../support/random-of';
import { size } from '../support/size';
import { newDataFolder, type Running, startLocalService } from '../support/start-local-service';
import { jsonLines, RunningCommand, stowage } from '../support/sync-command';
import { differences, filesOf } from '../support/sync-contents';

const SEEDS = size('SYNC_SEEDS', { small: 1, full: 1 });
const FILES = size('SYNC_FILES', { small: 60, full: 1_000 });
const ROUNDS = size('SYNC_ROUNDS', { small: 4, full: 8 });
const EDITS = size('SYNC_EDITS', { small: 25, full: 100 });

/** Changes of one commit. */
const COMMITTED = 32;

/** For the first sync of all files on a busy machine. */
const TIMEOUT_MS = 240_000 + FILES * 300;

jest.setTimeout(1_200_000 + 2 * TIMEOUT_MS);

const seeds = process.env.SYNC_SEED
  ? [Number(process.env.SYNC_SEED)]
  : Array.from({ length: SEEDS }, () => randomInt(2 ** 31));

test.each(seeds)(
  'both destinations are what their sources are after edits and kills (SYNC_SEED=%d)',
  async (seed) => {
    const world = await World.start(seed);
    try {
      await world.run();
    } finally {
      await world.end();
    }
  },
);

/** A file may be where the path has a folder: then there is nothing to remove. */
function remove(at: string): void {
  if (existsSync(at)) rmSync(at, { recursive: true });
}

/** Names of which some are folders of others, and a few that only one of both sides can have. */
function nameOf(n: number): string {
  if (n % 10 === 3) return `swap/${n % 7}`;
  if (n % 10 === 4) return `swap/${n % 7}/${n % 50}`;
  return n % 3 === 0 ? `file ${n}` : `folder-${n % 20}/${n % 3}/file-${n}.txt`;
}

class World {
  #service: Running;
  readonly #random: (below: number) => number;
  readonly #data: string;
  readonly #remove: () => void;
  readonly #folder = { source: '', destination: '', state: '' };
  #commands: RunningCommand[] = [];
  #edit = 0;

  private constructor(seed: number, data: string, service: Running, remove: () => void) {
    this.#random = randomOf(seed);
    this.#data = data;
    this.#service = service;
    this.#remove = remove;
  }

  static async start(seed: number): Promise<World> {
    const data = newDataFolder();
    const folders = temporaryFolder('sync');
    const service = await startLocalService(data.folder);
    const world = new World(seed, data.folder, service, () => {
      data.remove();
      folders.remove();
    });
    for (const name of ['source', 'destination', 'state'] as const) {
      world.#folder[name] = path.join(folders.folder, name);
      mkdirSync(world.#folder[name]);
    }
    await world.#client.buckets.create('source');
    await world.#client.buckets.create('destination');
    const contents = new Map<string, string>();
    for (let n = 0; n < FILES; n++) {
      world.#write(nameOf(n), `file ${n}`);
      contents.set(nameOf(n), `object ${n}`);
    }
    const puts = [...contents].map(([key, content]) => ({ op: 'put', key, content }) as const);
    // In a commit, a change takes a fraction of the time of a PUT.
    await inParallel(4, Math.ceil(puts.length / COMMITTED), async (n) => {
      const some = puts.slice(n * COMMITTED, (n + 1) * COMMITTED);
      await world.#client.commit('source', some);
    });
    return world;
  }

  async end(): Promise<void> {
    for (const command of this.#commands) await command.end('SIGKILL');
    await this.#service.kill();
    this.#remove();
  }

  async run(): Promise<void> {
    this.#commands = [this.#watch(0), this.#watch(1)];
    for (let round = 0; round < ROUNDS; round++) {
      await Promise.all([this.#editBucket(), this.#editFolder()]);
      await this.#kill(this.#random(5));
    }
    const compare = async () => {
      for (const command of this.#commands) {
        if (!command.isRunning) throw new Error(`a command has ended:\n${command.output}`);
      }
      return (await this.#differences()).length === 0;
    };
    await until('the destinations to be what the sources are', compare, {
      timeoutMs: TIMEOUT_MS,
      pauseMs: 500,
    }).catch(async (error) => {
      const outputs = this.#commands.map(({ output }) => output.slice(-3_000));
      throw new Error([error, ...(await this.#differences()), ...outputs].join('\n'));
    });
    for (const command of this.#commands) {
      // One that has just been started may not listen for signals yet.
      await command.printed('in step');
      expect(await command.end('SIGINT')).toBe(0);
    }
    // Nobody has edited anything since: the same comparison by contents finds nothing to do.
    for (const places of [this.#places(0), this.#places(1)]) {
      const args = ['sync', '--json', '--dry-run', '--checksum', '--delete', ...places];
      const { status, stdout } = stowage(this.#place, ...args);
      const done = jsonLines(stdout).filter(({ did }) => did !== undefined);
      expect([status, done]).toEqual([0, []]);
    }
  }

  get #client(): StowageClient {
    const { baseUrl, apiKey } = this.#service;
    return new StowageClient({ baseUrl, apiKey, retries: 10 });
  }

  get #place() {
    return { service: this.#service, state: this.#folder.state };
  }

  #places(which: number): [string, string] {
    const { source, destination } = this.#folder;
    return which === 0 ? ['source:', destination] : [source, 'destination:copy/'];
  }

  #watch(which: number): RunningCommand {
    const options = ['--watch', '--delete', '--interval', '2'];
    return new RunningCommand(this.#place, ['sync', ...options, ...this.#places(which)]);
  }

  async #kill(what: number): Promise<void> {
    // At any time of what the edits have caused.
    await wait(this.#random(400));
    if (what < 2) {
      await this.#commands[what]?.end('SIGKILL');
      this.#commands[what] = this.#watch(what);
    } else if (what === 2) {
      const { baseUrl } = this.#service;
      await this.#service.kill();
      const port = new URL(baseUrl).port;
      this.#service = await startLocalService(this.#data, ['--port', port]);
    }
  }

  async #editBucket(): Promise<void> {
    const client = this.#client;
    for (let edit = 0; edit < EDITS; edit++) {
      const key = nameOf(this.#random(FILES));
      const kind = this.#random(10);
      const content = `${kind < 3 ? 'same' : 'other'.repeat(kind)} ${1000 + (this.#edit++ % 1000)}`;
      if (kind < 7) await client.put('source', key, content);
      else if (kind < 9) await client.delete('source', key).catch(unlessAbsent);
      else await client.commit('source', this.#changes(content));
    }
  }

  #changes(content: string): readonly CommitChange[] {
    const keys = new Set([1, 2, 3].map(() => nameOf(this.#random(FILES))));
    return [...keys].map((key, n) =>
      n === 0 ? { op: 'delete', key, ifExists: true } : { op: 'put', key, content },
    );
  }

  async #editFolder(): Promise<void> {
    for (let edit = 0; edit < EDITS; edit++) {
      const name = nameOf(this.#random(FILES));
      const file = this.#fileOf(name);
      const kind = this.#random(10);
      const content = `${kind < 4 ? 'same' : 'other'.repeat(kind)} ${1000 + (this.#edit++ % 1000)}`;
      if (kind < 7) this.#write(name, content);
      else if (kind < 8) remove(file);
      else if (kind < 9) remove(this.#folderOf(file));
      else this.#rename(name, nameOf(this.#random(FILES)));
      mkdirSync(this.#folder.source, { recursive: true });
      // Lets the command see some of the edits in between.
      if (this.#random(10) === 0) await wait(this.#random(50));
    }
  }

  #fileOf(name: string): string {
    return path.join(this.#folder.source, name);
  }

  /** Of a file at the top rarely all of it: there would be nothing left to edit. */
  #folderOf(file: string): string {
    const folder = path.dirname(file);
    return folder === this.#folder.source && this.#random(200) > 0 ? file : folder;
  }

  /** Replaces folders by files, and files by folders. */
  #write(name: string, content: string): void {
    const file = this.#fileOf(name);
    const parent = path.dirname(file);
    try {
      mkdirSync(parent, { recursive: true });
    } catch {
      rmSync(parent, { force: true });
      mkdirSync(parent, { recursive: true });
    }
    try {
      writeFileSync(file, content);
    } catch {
      rmSync(file, { force: true, recursive: true });
      writeFileSync(file, content);
    }
  }

  #rename(from: string, to: string): void {
    try {
      renameSync(this.#fileOf(from), this.#fileOf(to));
    } catch {
      // One of both is not there, or a folder.
    }
  }

  /** By name: what differs between each destination and its source. */
  async #differences(): Promise<readonly string[]> {
    const { source, destination } = this.#folder;
    const objects = await this.#objects('source', '');
    // A name that is a folder of others cannot be a file.
    for (const name of [...objects.keys()]) {
      for (let at = name.indexOf('/'); at !== -1; at = name.indexOf('/', at + 1)) {
        objects.delete(name.slice(0, at));
      }
    }
    return [
      ...differences('destination folder', objects, filesOf(destination)),
      ...differences(
        'destination bucket',
        filesOf(source),
        await this.#objects('destination', 'copy/'),
      ),
    ];
  }

  async #objects(bucket: string, prefix: string): Promise<Map<string, string>> {
    const objects = new Map<string, string>();
    for await (const { key, checksum_sha256 } of this.#client.objects(bucket, { prefix })) {
      objects.set(key.slice(prefix.length), checksum_sha256 ?? '');
    }
    return objects;
  }
}

function unlessAbsent(error: unknown): void {
  if ((error as { code?: unknown }).code !== 'not_found') throw error;
}
