/** The running service with a bucket, and two folders, for each test of `stowage sync`. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { sync } from '../../../cli/sync/sync';
import { type Fetch, StowageClient } from '../../../client';
import { temporaryFolder } from '../../support/temporary-folder';
import { newDataFolder, type Running, startLocalService } from './local-service';
import { jsonLines, RunningCommand, stowage } from './sync-command';
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
    readonly service: Running,
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

  /** What the command has done, by name. */
  run(...args: readonly string[]) {
    const place = { service: this.service, state: this.folder('state') };
    const { status, stdout, stderr } = stowage(place, 'sync', '--json', ...args);
    const did: Record<string, unknown> = {};
    for (const line of jsonLines(stdout)) {
      if (line.did !== undefined) did[String(line.name)] = line.did;
      if (line.skipped !== undefined) did[String(line.skipped)] = 'skipped';
    }
    return { status, did, stderr };
  }

  /** The same in this process, with a client whose requests the test sees. */
  async runHere(using: StowageClient, from: Place, to: Place, more = {}): Promise<TestReport> {
    const report = new TestReport();
    const options = { ...syncOptions(this.folder('state-here')), ...more };
    await sync(using, placesOf(from, to), { options, report });
    return report;
  }

  watch(...args: readonly string[]): RunningCommand {
    const place = { service: this.service, state: this.folder('state') };
    return new RunningCommand(place, ['sync', '--watch', '--delete', ...args]);
  }
}

/** Starts the service before the tests of a file; the world of each test is new. */
export function useSyncWorlds(): () => SyncWorld {
  const data = newDataFolder();
  let service: Running;
  let world: SyncWorld;
  let count = 0;
  beforeAll(async () => {
    service = await startLocalService(data.folder);
  }, 110_000);
  beforeEach(async () => {
    world = new SyncWorld(service, `sync-${count++}`);
    await world.client.buckets.create(world.bucket);
  });
  afterEach(() => world.remove());
  afterAll(async () => {
    await service.kill();
    data.remove();
  });
  return () => world;
}

/** The files below a folder, with their contents, in the order of their names. */
export function contentsOf(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort();
  return Object.fromEntries(
    files.map((file) => [path.relative(folder, file), readFileSync(file, 'utf8')]),
  );
}
