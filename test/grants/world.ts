import { until } from '../support/until';
import { openStores } from '../system/support/local-service';

/** The response to a request. */
export interface StorageResponse {
  readonly status: number;
  readonly json: ReturnType<typeof JSON.parse>;
}

/** The running service, for its clients and for its operator. */
export class World {
  readonly operator: ReturnType<typeof openStores>;
  private readonly baseUrl = given('STOWAGE_URL');
  readonly syncUrl = `${this.baseUrl.replace('http', 'ws')}/api/v2/storage/sync`;
  readonly apiKey = given('STOWAGE_KEY');

  constructor(folder: string) {
    this.operator = openStores(folder);
  }

  /** Sends a request. Throws unless the status is 2xx, or the expected one. */
  async ask(
    method: string,
    at: string,
    {
      body,
      bearer = this.apiKey,
      status,
    }: { body?: object | string; bearer?: string; status?: number } = {},
  ): Promise<StorageResponse> {
    const response = await fetch(`${this.baseUrl}${at}`, {
      method,
      headers: {
        authorization: `Bearer ${bearer}`,
        ...(typeof body === 'object' && { 'content-type': 'application/json' }),
      },
      body: typeof body === 'object' ? JSON.stringify(body) : body,
    });
    const text = await response.text();
    if (status === undefined ? !response.ok : response.status !== status) {
      throw new Error(`${method} ${at} returned ${response.status}: ${text}`);
    }
    return { status: response.status, json: text.startsWith('{') ? JSON.parse(text) : undefined };
  }

  storage(
    method: string,
    at: string,
    options: Parameters<World['ask']>[2] = {},
  ): Promise<StorageResponse> {
    return this.ask(method, `/api/v2/storage${at}`, options);
  }

  /** Creates a bucket and returns its id. */
  async bucket(name: string): Promise<string> {
    await this.storage('POST', '/buckets', { body: { name } });
    return (await this.record(name)).id;
  }

  async record(name: string) {
    const record = await this.operator.buckets.get(name);
    if (record === undefined) throw new Error(`no bucket ${name}`);
    return record;
  }

  /** The name of an object's blob. */
  async blobOf(bucketId: string, key: string): Promise<string> {
    const record = await this.operator.objects.get(bucketId, key);
    if (record?.state !== 'live') throw new Error(`no object ${key}`);
    return record.blob;
  }

  /** Uploads with a signed URL and returns when the object is committed. */
  async upload(bucket: string, bucketId: string, key: string): Promise<void> {
    const body = { bucket, key, method: 'PUT' };
    const { url, headers } = (await this.storage('POST', '/signed-url', { body })).json;
    const stored = await fetch(url, { method: 'PUT', headers, body: 'uploaded' });
    if (!stored.ok) throw new Error(`the upload returned ${stored.status}`);
    await until(`${key} to be committed`, async () => {
      return (await this.operator.objects.get(bucketId, key)) !== undefined;
    });
  }

  close(): void {
    this.operator.close();
  }
}

function given(name: string): string {
  const value = process.env[name];
  if (value === undefined || value === '') throw new Error(`set ${name}`);
  return value;
}
