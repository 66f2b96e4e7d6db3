/** A service, and the command `stowage` in a folder of its own, for the tests of a file. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { StowageClient } from '../../../client';
import {
  newName,
  type SharedService,
  useSharedService,
} from '../../support/local-service/shared-service';
import { useTemporaryFolder } from '../../support/temporary-folder';
import { Command } from '../support/command';

export class CommandWorld {
  readonly #service: () => SharedService;

  constructor(
    service: () => SharedService,
    /** Where the command runs. */
    readonly folder: string,
  ) {
    this.#service = service;
  }

  get service(): SharedService {
    return this.#service();
  }

  get stowage(): Command {
    return new Command(this.folder, this.service);
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
    const bucket = newName('bucket');
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

/** Gives the tests of a file the shared service, and a folder. */
export function useCommandWorld(): CommandWorld {
  return new CommandWorld(useSharedService(), useTemporaryFolder('command'));
}
