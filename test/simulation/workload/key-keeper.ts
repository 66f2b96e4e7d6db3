/** An administrator who changes a key, and the program that uses it, beside all others. */
import { StowageClient, type StowageError } from '../../../client';
import type { Permission } from '../../../core/access/ports';
import { DEFAULT_TIER } from '../../../core/limits';
import { KeyUse } from '../oracles/key-use';
import { fetchThroughGateway, ORIGIN } from '../service/gateway';
import type { ChangedKey, KeyTask } from '../service/key-administration';
import { Actor } from './actor';
import { isRefused } from './requester';
import type { Bucket } from './setting';

/** Each has other actions, or other keys. */
const PERMISSIONS: readonly (readonly Permission[])[] = [
  [{ buckets: ['*'], actions: ['read', 'write', 'sync'] }],
  [{ buckets: ['*'], actions: ['read'] }],
  [{ buckets: ['*'], prefix: 'a/', actions: ['read', 'write', 'sync'] }],
];

/** How long a replaced secret still works, seconds. */
const OVERLAPS = [0, 30] as const;

/** How long an administrator waits before the next attempt. */
const WAIT_MS = [100, 3_000] as const;

interface OwnKey {
  readonly id: string;
  /** What the program has. */
  readonly client: StowageClient;
  readonly use: KeyUse;
}

export class KeyKeeper extends Actor {
  private own: OwnKey | undefined;
  private readonly controller = new AbortController();
  private uses = 0;

  override async run(): Promise<void> {
    await super.run();
    this.controller.abort();
  }

  protected override draw(): () => Promise<void> {
    const { random, setting } = this;
    const number = random.next();
    const [permissions, overlapSeconds] = [random.pick(PERMISSIONS), random.pick(OVERLAPS)];
    const [bucket, key] = [random.pick(setting.buckets), random.pick(setting.keys)];
    return async () => {
      const { own } = this;
      if (!own) await this.create(permissions);
      else if (number < 0.6) await this.use(own, bucket, key);
      else if (number < 0.8) await this.change(own, permissions, { bucket, key });
      else if (number < 0.9) await this.rotate(own, overlapSeconds);
      else await this.revoke(own);
    };
  }

  private async create(permissions: readonly Permission[]): Promise<void> {
    this.setting.count('key created');
    const settings = { name: this.name, permissions, tier: DEFAULT_TIER };
    const { id, text = '' } = await this.administer({ op: 'create', settings });
    const use = new KeyUse(this.setting.simulation, id, permissions);
    this.own = { id, use, client: this.clientOf(text) };
    void this.follow(this.own.client);
  }

  /** Reads or writes, which the key permits or not. */
  private async use({ client, use }: OwnKey, bucket: Bucket, key: string): Promise<void> {
    this.setting.count('key used');
    const action = this.random.chance(0.3) ? 'read' : 'write';
    const expected = use.expected(action, bucket.name, key);
    this.uses += 1;
    const text = `${this.id}.${this.uses}`;
    const floor = bucket.linearizable.floor(key);
    const result = await this.resolved(() =>
      action === 'read'
        ? client.describe(bucket.name, key)
        : client.put(bucket.name, key, text, { metadata: { op: text }, idempotencyKey: text }),
    );
    if (action === 'write') {
      const isAcknowledged = 'value' in result;
      const write = { operation: text, text, isAcknowledged, isRefused: isRefused(result) };
      bucket.effects.written(write);
    }
    if ('value' in result) {
      if (action === 'write') this.acknowledge(bucket, [result.value], [floor]);
      use.permitted(expected);
    } else if ('refusal' in result) {
      use.refused(expected, result.refusal.code);
    }
  }

  /** Now and then while the program uses the key. */
  private async change(
    own: OwnKey,
    permissions: readonly Permission[],
    { bucket, key }: { readonly bucket: Bucket; readonly key: string },
  ): Promise<void> {
    const { id, use } = own;
    // Nothing is written, and nothing marked, when nothing changes.
    if (use.has(permissions)) return;
    this.setting.count('key changed');
    await this.use(own, bucket, key);
    use.changing();
    await Promise.all([
      this.administer({ op: 'change', id, change: { permissions } }),
      this.random.chance(0.5) ? this.use(own, bucket, key) : undefined,
    ]);
    await use.changed(permissions);
    await this.use(own, bucket, key);
  }

  /** The program gets the new secret; what has the old one may use it as long as it works. */
  private async rotate({ id, use, client: old }: OwnKey, overlapSeconds: number): Promise<void> {
    const { setting } = this;
    setting.count('key rotated');
    use.changing();
    const { text = '' } = await this.administer({ op: 'rotate', id, overlapSeconds });
    this.own = { id, use, client: this.clientOf(text) };
    await use.changed();
    await setting.pause(overlapSeconds * 1000);
    await this.useEnded(old, use);
  }

  private async revoke({ id, use, client }: OwnKey): Promise<void> {
    this.setting.count('key revoked');
    this.own = undefined;
    use.changing();
    await this.administer({ op: 'revoke', id });
    await use.changed([]);
    await use.endedChannels();
    await this.useEnded(client, use);
  }

  /** Sends a request with a secret that works no longer. */
  private async useEnded(client: StowageClient, use: KeyUse): Promise<void> {
    const [bucket] = this.setting.buckets;
    if (!bucket) return;
    const result = await this.resolved(() => client.describe(bucket.name, 'a/1'));
    if ('isUnknown' in result) return;
    use.endedSecret('refusal' in result ? result.refusal.code : 'permitted');
  }

  /** Follows a bucket as long as the key permits it. */
  private async follow(client: StowageClient): Promise<void> {
    const [bucket] = this.setting.buckets;
    if (!bucket) return;
    const { signal } = this.controller;
    const wanted = { [bucket.name]: { bucketId: bucket.id, cursor: 0, prefix: 'a/' } };
    const events = client.sync(wanted, { transport: 'websocket', signal }).events();
    try {
      for await (const event of events) if (event.type === 'ended') return;
    } catch (error) {
      // The key no longer permits it.
      if ((error as StowageError).code !== 'unauthorized') throw error;
    }
  }

  private clientOf(apiKey: string): StowageClient {
    const { simulation, service, recorder } = this.setting;
    const name = `${this.id} program`;
    const sent = fetchThroughGateway(simulation, service.http, simulation.random(name));
    const fetch = recorder?.recording(name, sent) ?? sent;
    const webSocket = service.channels.open;
    return new StowageClient({ baseUrl: ORIGIN, apiKey, fetch, webSocket });
  }

  /** Repeats the task until the administration has done it. */
  private async administer(task: KeyTask): Promise<ChangedKey> {
    const { setting, random } = this;
    for (;;) {
      const done = await new Promise<ChangedKey | undefined>((resolve) =>
        setting.service.admin.invoke(task, (outcome) =>
          resolve('result' in outcome ? outcome.result : undefined),
        ),
      );
      if (done) return done;
      await setting.pause(random.between(...WAIT_MS));
    }
  }
}
