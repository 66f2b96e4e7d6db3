/**
 * `stowage sync --watch` in both directions, with random edits of the sources and SIGKILL of the
 * service and of the commands: in the end each destination is what its source is. Each seed begins
 * with all files, and with what the last one has left; SYNC_SEED names the first one. A seed
 * decides what is edited and killed in which order, not when. The world is kept in the folder
 * SYNC_WORLD, where that is set, for the seeds of the next run.
 */
import { randomInt } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { StowageClient } from '../../../client';
import { type Running, startLocalService } from '../../support/local-service/start-local-service';
import { temporaryFolder } from '../../support/temporary-folder';
import { until } from '../../support/until';
import { Command } from '../support/command';
import { randomOf } from '../support/random-of';
import type { RunningCommand } from '../support/running-command';
import { size } from '../support/size';
import { differences, filesOf } from '../support/sync-contents';
import { BucketEdits, FolderEdits, Names, type Random } from './sync-edits';

const SEEDS = size('SYNC_SEEDS', { small: 1, full: 1 });
const FILES = size('SYNC_FILES', { small: 60, full: 500 });
const ROUNDS = size('SYNC_ROUNDS', { small: 4, full: 8 });
/** Edits on each side in a round. */
const EDITS = size('SYNC_EDITS', { small: 25, full: 50 });

/** For the first sync of all files on a busy machine. */
const TIMEOUT_MS = 240_000 + FILES * 300;

jest.setTimeout(1_200_000 + 2 * TIMEOUT_MS);

const first = Number(process.env.SYNC_SEED ?? randomInt(2 ** 30));
const seeds = Array.from({ length: SEEDS }, (_, n) => first + n);

let world: World | undefined;

beforeAll(async () => {
  world = await World.start();
});

afterAll(() => world?.end());

test.each(seeds)(
  'both destinations equal their sources after edits and kills (SYNC_SEED=%d)',
  (seed) => world?.run(seed),
);

class World {
  #service: Running;
  readonly #home: string;
  readonly #data: string;
  readonly #remove: () => void;
  readonly #folder: Readonly<Record<'source' | 'destination', string>>;
  readonly #bucketEdits: BucketEdits;
  readonly #folderEdits: FolderEdits;
  #commands: RunningCommand[] = [];
  #kills = 0;
  #files = 0;

  private constructor(folder: string, service: Running, remove: () => void) {
    this.#service = service;
    this.#remove = remove;
    const at = (name: string) => path.join(folder, name);
    this.#home = folder;
    this.#data = at('data');
    this.#folder = { source: at('source'), destination: at('destination') };
    const names = new Names(FILES);
    this.#bucketEdits = new BucketEdits(this.#client, 'source', names);
    this.#folderEdits = new FolderEdits(this.#folder.source, names);
  }

  static async start(): Promise<World> {
    const { SYNC_WORLD: kept } = process.env;
    const { folder, remove } = kept
      ? { folder: kept, remove: () => undefined }
      : temporaryFolder('sync');
    // The commands remember what they know of a service by its address.
    const portFile = path.join(folder, 'port');
    const isNew = !existsSync(portFile);
    const port = isNew ? '0' : readFileSync(portFile, 'utf8');
    const service = await startLocalService(path.join(folder, 'data'), ['--port', port]);
    const world = new World(folder, service, remove);
    if (isNew) {
      for (const each of Object.values(world.#folder)) mkdirSync(each, { recursive: true });
      await world.#client.buckets.create('source');
      await world.#client.buckets.create('destination');
      writeFileSync(portFile, new URL(service.baseUrl).port);
    }
    return world;
  }

  async end(): Promise<void> {
    await this.#endCommands();
    await this.#service.kill();
    this.#remove();
  }

  async #endCommands(): Promise<void> {
    for (const command of this.#commands) await command.end('SIGKILL');
  }

  async run(seed: number): Promise<void> {
    const started = Date.now();
    // Each has its own choices: which of two edits is the next one, is not decided by the seed.
    const [ofBucket, ofFolder, ofKills] = [0, 1, 2].map((which) =>
      randomOf(Math.imul(3 * seed + which, 0x9e3779b1)),
    ) as [Random, Random, Random];
    this.#kills = 0;
    try {
      await this.#bucketEdits.fill();
      this.#folderEdits.fill();
      this.#commands = [this.#watch(0), this.#watch(1)];
      for (let round = 0; round < ROUNDS; round++) {
        await Promise.all([
          this.#bucketEdits.edit(ofBucket, EDITS),
          this.#folderEdits.edit(ofFolder, EDITS),
        ]);
        await this.#kill(ofKills);
      }
      await this.#becomeEqual();
      for (const command of this.#commands) {
        // One that has just been started may not listen for signals yet.
        await command.printed('in step');
        expect(await command.end('SIGINT')).toBe(0);
      }
      await this.#expectNothingToDo();
    } finally {
      await this.#endCommands();
    }
    const seconds = Math.round((Date.now() - started) / 1000);
    process.stdout.write(
      `sync: SYNC_SEED=${seed}: ${this.#files} files and objects in the end, ` +
        `${2 * ROUNDS * EDITS} edits, ${this.#kills} kills, ${seconds} s\n`,
    );
  }

  async #becomeEqual(): Promise<void> {
    const compare = async () => {
      for (const command of this.#commands) {
        if (!command.isRunning) throw new Error(`a command has ended:\n${command.output}`);
      }
      return (await this.#differences()).length === 0;
    };
    // With many files a comparison takes a while of its own.
    const pauseMs = Math.max(200, FILES / 5);
    const waited = until('the destinations to be what the sources are', compare, {
      timeoutMs: TIMEOUT_MS,
      pauseMs,
    });
    await waited.catch(async (error) => {
      const outputs = this.#commands.map(({ output }) => output.slice(-3_000));
      throw new Error([error, ...(await this.#differences()), ...outputs].join('\n'));
    });
  }

  /** Nobody has edited anything since: the same comparison by contents finds nothing to do. */
  async #expectNothingToDo(): Promise<void> {
    for (const places of [this.#places(0), this.#places(1)]) {
      const args = ['sync', '--dry-run', '--checksum', '--delete', ...places];
      const done = await this.#stowage.json(...args);
      expect(done.filter(({ did }) => did !== undefined)).toEqual([]);
    }
  }

  get #client(): StowageClient {
    const { baseUrl, apiKey } = this.#service;
    return new StowageClient({ baseUrl, apiKey, retries: 10 });
  }

  get #stowage(): Command {
    return new Command(this.#home, this.#service);
  }

  #places(which: number): [string, string] {
    const { source, destination } = this.#folder;
    return which === 0 ? ['source:', destination] : [source, 'destination:copy/'];
  }

  #watch(which: number): RunningCommand {
    const options = ['--watch', '--delete', '--interval', '2'];
    return this.#stowage.start(['sync', ...options, ...this.#places(which)]);
  }

  /** Kills in three of four rounds, at any time of what the edits have caused. */
  async #kill(random: Random): Promise<void> {
    await wait(random(400));
    const what = random(4);
    if (what === 3) return;
    this.#kills++;
    if (what < 2) {
      await this.#commands[what]?.end('SIGKILL');
      this.#commands[what] = this.#watch(what);
    } else {
      const { baseUrl } = this.#service;
      await this.#service.kill();
      const port = new URL(baseUrl).port;
      this.#service = await startLocalService(this.#data, ['--port', port]);
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
    const files = filesOf(source);
    this.#files = files.size + objects.size;
    return [
      ...differences('destination folder', objects, filesOf(destination)),
      ...differences('destination bucket', files, await this.#objects('destination', 'copy/')),
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
