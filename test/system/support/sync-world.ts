/** The running service with a bucket, and two folders, for each test of `stowage sync`. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { sync } from '../../../cli/sync/sync';
import { type Fetch, StowageClient } from '../../../client';
import {
  newName,
  type SharedService,
  useSharedService,
} from '../../support/local-service/shared-service';
import { temporaryFolder } from '../../support/temporary-folder';
import { Command } from './command';
import type { RunningCommand } from './running-command';
import { type Place, placesOf, syncOptions, TestReport } from './sync-engine';

type Meddle = (url: URL, init: RequestInit, send: Fetch) => Promise<Response>;

export class SyncWorld {
  readonly client: StowageClient;
  readonly #folders = temporaryFolder('cli-sync');
  /** An empty folder. */
  readonly here = this.folder('here');
  /** Where no folder is yet. */
  readonly there = this.folder('there');

  constructor(
    readonly service: SharedService,
    readonly bucket: string,
  ) {
    this.client = this.clientOf();
    mkdirSync(this.here);
  }

  /** A path in the temporary folder. */
  folder(name: string): string {
    return path.join(this.#folders.folder, name);
  }

  remove(): void {
    this.#folders.remove();
  }

  clientOf(meddle?: Meddle): StowageClient {
    const { baseUrl, apiKey } = this.service;
    const fetch: Fetch = (url, init) =>
      meddle ? meddle(new URL(url), init, globalThis.fetch) : globalThis.fetch(url, init);
    return new StowageClient({ baseUrl, apiKey, fetch });
  }

  /** Writes a file below `here`, and returns its path. */
  write(name: string, content: string | Uint8Array): string {
    const file = path.join(this.here, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, content);
    return file;
  }

  async keys(prefix = ''): Promise<string[]> {
    const found: string[] = [];
    for await (const { key } of this.client.objects(this.bucket, { prefix })) found.push(key);
    return found;
  }

  async text(key: string): Promise<string> {
    return (await this.client.get(this.bucket, key)).text();
  }

  get stowage(): Command {
    return new Command(this.#folders.folder, this.service);
  }

  /** Syncs, and returns by name what the command has done. */
  async run(...args: readonly string[]) {
    const { status, stdout, stderr } = await this.stowage.run(['sync', '--json', ...args]);
    return { status, did: didOf(stdout), stderr };
  }

  /** Syncs with a client whose requests the test sees. */
  async runHere(using: StowageClient, from: Place, to: Place, more = {}): Promise<TestReport> {
    const report = new TestReport();
    const options = { ...syncOptions(this.folder('state-here')), ...more };
    await sync(using, placesOf(from, to), { options, report });
    return report;
  }

  watch(...args: readonly string[]): RunningCommand {
    return this.stowage.start(['sync', '--watch', '--delete', ...args]);
  }
}

/** Gives each test of a file its own world, on the shared service. */
export function useSyncWorlds(): () => SyncWorld {
  const service = useSharedService();
  let world: SyncWorld;
  beforeEach(async () => {
    world = new SyncWorld(service(), newName('sync'));
    await world.client.buckets.create(world.bucket);
  });
  afterEach(() => world.remove());
  return () => world;
}

/** Returns by name what the lines of `--json` say. */
export function didOf(stdout: string): Readonly<Record<string, unknown>> {
  const lines = stdout.split('\n').filter((line) => line !== '');
  const pairs = lines.map((line) => {
    const { name, skipped, did } = JSON.parse(line);
    return [name ?? skipped, did ?? 'skipped'] as const;
  });
  return Object.fromEntries(pairs.filter(([name]) => name !== undefined));
}

/** Returns the files below a folder with their contents, in the order of their names. */
export function contentsOf(folder: string): Record<string, string> {
  try {
    const files = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => path.join(entry.parentPath, entry.name))
      .sort();
    return Object.fromEntries(
      files.map((file) => [path.relative(folder, file), readFileSync(file, 'utf8')]),
    );
  } catch (error) {
    // A running command removes files while they are read.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || !existsSync(folder)) throw error;
    return contentsOf(folder);
  }
}
