import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { until } from '../support/until';
import { ROOT } from './roles';
import type { World } from './world';

const EVERYTHING = [
  { buckets: ['*'], actions: ['read', 'write', 'delete', 'list', 'sync', 'sign', 'create_bucket'] },
];
const HOUR_MS = 3_600_000;

export interface MadeKey {
  readonly id: string;
  readonly bearer: string;
}

/** An administrator of the API keys of the running service. */
export class Administration {
  private readonly bearer: string;

  constructor(
    private readonly world: World,
    folder: string,
  ) {
    const signIn = [path.join(ROOT, 'dist/cli/stowage.js'), 'sign-in', '--data', folder];
    this.bearer = execFileSync(process.execPath, signIn, { encoding: 'utf8' }).trim();
  }

  /**
   * Creates, lists, reads and revokes a key; waits until every function that has cached the key
   * refuses it.
   */
  async use(): Promise<void> {
    const { id, bearer } = await this.makeKey();
    for (const at of ['keys', `keys/${id}`, 'audit', `usage?key_id=${id}`])
      await this.ask('GET', at);
    const bucket = 'grants-keys';
    await this.world.bucket(bucket);
    await this.world.storage('PUT', `/objects/${bucket}/x`, { body: 'x' });
    const requests = ['/buckets', `/objects/${bucket}/x`];
    for (const at of requests) await this.world.storage('GET', at, { bearer });
    await this.revoke(id);
    for (const at of requests) {
      await until(`${at} to be refused`, () =>
        this.world.storage('GET', at, { bearer, status: 401 }).then(
          () => true,
          () => false,
        ),
      );
    }
  }

  /** Creates a key with all permissions, for an hour. */
  async makeKey(): Promise<MadeKey> {
    const expires_at = new Date(Date.now() + HOUR_MS).toISOString();
    const body = { name: 'grants', permissions: EVERYTHING, expires_at };
    const { key, api_key } = (await this.ask('POST', 'keys', body)).json;
    return { id: key.id, bearer: api_key };
  }

  change(id: string, body: object): Promise<unknown> {
    return this.ask('PATCH', `keys/${id}`, body);
  }

  revoke(id: string): Promise<unknown> {
    return this.ask('POST', `keys/${id}/revoke`);
  }

  private ask(method: string, at: string, body?: object) {
    return this.world.ask(method, `/admin/v1/${at}`, { body, bearer: this.bearer });
  }
}
