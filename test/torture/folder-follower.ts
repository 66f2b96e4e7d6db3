/** A folder that follows a prefix by `stowage sync --watch`, which is killed now and then. */
import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { SeededRandom } from '../simulation/machine/random';
import { type RunningCommand, startCommand } from '../system/support/running-command';
import { differences, filesOf } from '../system/support/sync-contents';
import type { Bucket, Setting } from './setting';

/** Excludes what writers change in large commits: each change would be a download. */
const PREFIX = 'a/';

const LIFE_MS = [15_000, 60_000] as const;

export class FolderFollower {
  private readonly random: SeededRandom;
  private readonly folder: string;
  private isStopped = false;
  private command: RunningCommand | undefined;

  constructor(
    private readonly round: Setting,
    readonly bucket: Bucket,
    readonly name: string,
  ) {
    this.random = round.random(name);
    this.folder = round.folder(name);
  }

  async run(): Promise<void> {
    const { round, bucket } = this;
    const service = { baseUrl: round.baseUrl, apiKey: round.apiKey };
    const home = `${this.folder}-command`;
    mkdirSync(home, { recursive: true });
    while (!this.isStopped) {
      const args = ['sync', '--watch', '--delete', `${bucket.name}:${PREFIX}`, this.folder];
      const command = startCommand(home, service, args);
      this.command = command;
      await Promise.race([command.ended(), this.lifetime()]);
      if (this.isStopped) return;
      round.deaths += 1;
      await command.end('SIGKILL');
      // A command that starts while the service is down ends at once.
      await pause(1_000);
    }
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    await this.command?.end('SIGKILL');
  }

  /** Returns the files that the folder lacks or should not have. `wanted` maps keys to bytes. */
  differences(wanted: ReadonlyMap<string, Buffer>): readonly string[] {
    const digests = [...wanted].flatMap(([key, bytes]) => {
      const digest = createHash('sha256').update(bytes).digest('base64');
      return key.startsWith(PREFIX) ? [[key.slice(PREFIX.length), digest] as const] : [];
    });
    return differences(this.name, new Map(digests), filesOf(this.folder));
  }

  /** The end of what the command has printed. */
  get output(): string {
    return this.command?.output.slice(-500) ?? '';
  }

  private async lifetime(): Promise<void> {
    const end = performance.now() + this.random.between(...LIFE_MS);
    while (!this.isStopped && (performance.now() < end || this.round.isEnding)) await pause(200);
  }
}
