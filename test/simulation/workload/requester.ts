/** A client whose requests are sent again until their outcome is known. */
import { StowageClient, StowageError } from '../../../client';
import { type Fetch, Http } from '../../../client/http';
import type { DeletedObject, ObjectDescriptor } from '../../../client/resources';
import type { SeededRandom } from '../machine/random';
import { fetchThroughGateway, ORIGIN } from '../service/gateway';
import type { Bucket, Setting } from './setting';

/** How often a request with an unknown outcome is sent again, beyond what the client does. */
const ATTEMPTS = 30;

export type Result<T> =
  | { readonly value: T }
  /** `isCertain`: no attempt has an unknown outcome, so nothing was changed. */
  | { readonly refusal: StowageError; readonly isCertain: boolean }
  | { readonly isUnknown: true };

export class Requester {
  readonly client: StowageClient;
  /** For requests that the client makes as a part of something larger. */
  protected readonly http: Http;
  protected readonly random: SeededRandom;
  protected unanswered = 0;
  protected operations = 0;
  /** Key -> the etag that it last saw there. */
  protected readonly etags = new Map<string, string>();

  constructor(
    protected readonly setting: Setting,
    readonly name: string,
  ) {
    const { simulation, service } = setting;
    this.random = simulation.random(name);
    const sent = fetchThroughGateway(simulation, service.http, this.random);
    const send = setting.recorder?.recording(name, sent) ?? sent;
    const fetch: Fetch = async (address, init) => {
      this.unanswered += 1;
      const response = await send(address, init);
      if (response.status < 500 && response.status !== 429) this.unanswered -= 1;
      return response;
    };
    const reach = { baseUrl: ORIGIN, apiKey: setting.apiKey, fetch };
    this.client = new StowageClient(reach);
    this.http = new Http(reach);
  }

  protected get id(): string {
    return `${this.name}.${this.operations}`;
  }

  protected written(bucket: Bucket, texts: readonly string[], result: Result<unknown>): void {
    const isAcknowledged = 'value' in result;
    for (const text of texts) {
      const write = { operation: this.id, text, isAcknowledged, isRefused: isRefused(result) };
      bucket.effects.written(write);
    }
  }

  protected acknowledge(
    bucket: Bucket,
    changes: readonly (ObjectDescriptor | DeletedObject)[],
    floors: readonly number[],
  ): void {
    for (const [index, change] of changes.entries()) {
      const { key, cursor, version } = change;
      const etag = 'etag' in change ? change.etag : undefined;
      const seen = { key, cursor, version, ...(etag !== undefined && { etag }) };
      bucket.linearizable.wrote(seen, floors[index] ?? 0);
      if (etag !== undefined) this.etags.set(key, etag);
      bucket.effects.acknowledged += 1;
    }
  }

  /** Sends a request again until its outcome is known. */
  async resolved<T>(request: () => Promise<T>): Promise<Result<T>> {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      try {
        return { value: await request() };
      } catch (error) {
        if (!(error instanceof StowageError)) throw error;
        if (!error.isTemporary) return { refusal: error, isCertain: this.unanswered === 0 };
        await this.setting.pause(this.random.between(100, 3_000));
      }
    }
    this.setting.count('unknown outcome');
    return { isUnknown: true };
  }
}

/** Whether the request was refused without any effect; `code`: for this reason. */
export function isRefused(result: Result<unknown>, code?: StowageError['code']): boolean {
  if (!('refusal' in result)) return false;
  return code === undefined ? result.isCertain : result.refusal.code === code;
}
