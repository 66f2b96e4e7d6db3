/** A service, and the command `stowage` in a folder of its own, for the tests of a file. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { StowageClient } from '../../../client';
import { Command } from '../support/command';
import { newDataFolder, type Running, startLocalService } from '../support/local-service';

export class CommandWorld {
  readonly #data = newDataFolder();
  readonly #work = newDataFolder();
  #service: Running | undefined;
  #buckets = 0;

  /** Where the command runs. */
  get folder(): string {
    return this.#work.folder;
  }

  /** The data folder of the service. */
  get data(): string {
    return this.#data.folder;
  }

  get service(): Running {
    if (!this.#service) throw new Error('the service has not started');
    return this.#service;
  }

  get stowage(): Command {
    return new Command(this.folder, this.service);
  }

  async start(): Promise<void> {
    this.#service = await startLocalService(this.#data.folder);
  }

  async stop(): Promise<void> {
    await this.#service?.interrupt();
    this.#data.remove();
    this.#work.remove();
  }

  write(name: string, content: string | Buffer = name): string {
    const file = path.join(this.folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, content);
    return name;
  }

  read(name: string): string {
    return readFileSync(path.join(this.folder, name), 'utf8');
  }

  /** A bucket with these objects, whose content is their key. */
  async newBucket(...keys: readonly string[]): Promise<string> {
    this.#buckets += 1;
    const bucket = `bucket-${this.#buckets}`;
    await this.#client.buckets.create(bucket);
    for (const key of keys) await this.put(bucket, key, key);
    return bucket;
  }

  async put(bucket: string, key: string, content: string): Promise<void> {
    await this.#client.put(bucket, key, content);
  }

  async keysOf(bucket: string): Promise<readonly string[]> {
    const keys: string[] = [];
    for await (const { key } of this.#client.objects(bucket)) keys.push(key);
    return keys;
  }

  /** A request takes a hundredth of the time of a command. */
  get #client(): StowageClient {
    const { baseUrl, apiKey } = this.service;
    return new StowageClient({ baseUrl, apiKey });
  }
}

/** Starts the service before the tests of the file, and ends it after them. */
export function useCommandWorld(): CommandWorld {
  const world = new CommandWorld();
  beforeAll(() => world.start());
  afterAll(() => world.stop());
  return world;
}
