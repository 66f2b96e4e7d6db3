/** The local service with every fault that it can make, killed and started again on one folder. */
import { execFileSync } from 'node:child_process';
import { closeSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import path from 'node:path';
import type { Notification } from '../../core/targets/notifications';
import { freePort } from '../support/free-port';
import { type TemporaryFolder, temporaryFolder } from '../support/temporary-folder';
import { type Running, startLocalService } from '../system/support/local-service';
import { synthesize } from './stack';

export class Service {
  readonly port: number;
  kills = 0;
  /** Bytes of memory of the process, once a second, over all of its lives. */
  readonly memory: number[] = [];
  /** Bytes of the target's file. */
  private taken = 0;
  private running: Running | undefined;
  private sampling: NodeJS.Timeout | undefined;

  private constructor(
    private readonly temporary: TemporaryFolder,
    private readonly flags: readonly string[],
    ports: { readonly rest: number },
  ) {
    this.port = ports.rest;
  }

  static async start(seed: number): Promise<Service> {
    const temporary = temporaryFolder('torture');
    const { folder } = temporary;
    const cdkOut = path.join(folder, 'cdk.out');
    synthesize(cdkOut, path.join(folder, 'received.jsonl'));
    const [rest, s3] = [await freePort(), await freePort()];
    const flags = [
      ...['--stack', 'torture', '--cdk-out', cdkOut],
      ...['--port', String(rest), '--s3-port', String(s3)],
      '--websocket-faults',
      `drop=0.05,repeat=0.1,reorder=0.1,cut=0.0005,drop-disconnect=0.2,shuffle=0.1,seed=${seed}`,
      ...['--stream-faults', `repeat=0.1,late=50,seed=${seed}`],
      ...['--sqs-faults', `repeat=0.1,overlap=0.1,shuffle=1,seed=${seed}`],
    ];
    const service = new Service(temporary, flags, { rest });
    await service.launch();
    service.sampling = setInterval(() => service.sample(), 1_000);
    return service;
  }

  get apiKey(): string {
    return this.running?.apiKey ?? '';
  }

  get dataFolder(): string {
    return path.join(this.temporary.folder, 'data');
  }

  /** A folder for what else the run needs. */
  folder(name: string): string {
    return path.join(this.temporary.folder, name);
  }

  /** Bytes on disk. */
  get diskBytes(): number {
    const [kibibytes = '0'] = execFileSync('du', ['-sk', this.dataFolder]).toString().split('\t');
    return Number(kibibytes) * 1024;
  }

  async killAndRestart(): Promise<void> {
    await this.running?.kill();
    this.kills += 1;
    await this.launch();
  }

  /** The notifications that the target has received since the last call. */
  takeNotifications(): readonly Notification[] {
    const opened = openSync(this.folder('received.jsonl'), 'a+');
    try {
      const bytes = Buffer.alloc(fstatSync(opened).size - this.taken);
      readSync(opened, bytes, { position: this.taken });
      const end = bytes.lastIndexOf(0x0a) + 1;
      this.taken += end;
      return bytes.subarray(0, end).toString().split('\n').flatMap(notificationOf);
    } finally {
      closeSync(opened);
    }
  }

  async stop(): Promise<void> {
    clearInterval(this.sampling);
    await this.running?.interrupt();
    this.temporary.remove();
  }

  private async launch(): Promise<void> {
    this.running = await startLocalService(this.dataFolder, this.flags);
  }

  private sample(): void {
    try {
      const status = readFileSync(`/proc/${this.running?.pid}/status`, 'utf8');
      this.memory.push(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) * 1024);
    } catch {
      // It was killed, or there is no /proc.
    }
  }
}

/** A line may be half written: the service was killed. */
function notificationOf(line: string): Notification[] {
  try {
    return [JSON.parse(line)];
  } catch {
    return [];
  }
}
