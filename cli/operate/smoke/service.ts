/** The deployment under test, and a bucket of its own in it. */
import { createHash, randomBytes } from 'node:crypto';
import { isRecord } from '../../../client/resources';
import { demand, json, requireStatus, shown } from './demand';
import { type Outgoing, type Reply, send } from './wire';

const STORAGE = '/api/v2/storage';

/** More than the 6 MB that a response carries. */
const LARGE_BYTES = 10_000_001;

export interface Target {
  /** Without a slash at its end. */
  readonly baseUrl: string;
  readonly apiKey: string;
  /** The URL of the REST API behind the edge. */
  readonly apiUrl?: string;
}

export interface SignedUpload {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export class Service {
  readonly bucket = `smoke-${randomBytes(6).toString('hex')}`;

  constructor(readonly target: Target) {}

  /** Sends a request with the API key. `path` is below `/api/v2/storage`, percent-encoded. */
  call(method: string, path: string, outgoing: Outgoing = {}): Promise<Reply> {
    return this.send(method, `${STORAGE}${path}`, {
      ...outgoing,
      headers: { authorization: `Bearer ${this.target.apiKey}`, ...outgoing.headers },
    });
  }

  /** Sends a request without the API key. */
  send(method: string, path: string, outgoing: Outgoing = {}): Promise<Reply> {
    return send(method, `${this.target.baseUrl}${path}`, outgoing);
  }

  /** The path of an object; `key` is percent-encoded. */
  object(key: string): string {
    return `/objects/${this.bucket}/${key}`;
  }

  /** Stores an object and returns its descriptor. */
  async put(key: string, body: string): Promise<Record<string, unknown>> {
    const reply = await this.call('PUT', this.object(key), { body });
    requireStatus(reply, 201);
    return json(reply);
  }

  /** Creates a signed URL. */
  async sign(fields: Readonly<Record<string, unknown>>): Promise<Record<string, unknown>> {
    const body = JSON.stringify({ bucket: this.bucket, ...fields });
    const reply = await this.call('POST', '/signed-url', { body });
    requireStatus(reply, 201);
    return json(reply);
  }

  /** Signs an upload of `LARGE_BYTES` bytes whose length and checksum are part of the signature. */
  async signLarge(key: string): Promise<SignedUpload> {
    const body = Buffer.alloc(LARGE_BYTES, 'stowage ');
    const { url, headers } = await this.sign({
      key,
      method: 'PUT',
      content_length: body.length,
      checksum_sha256: sha256(body),
    });
    demand(typeof url === 'string' && isRecord(headers), 'the signed URL has no url or headers');
    const texts = Object.entries(headers).map(([name, value]) => [name, String(value)] as const);
    return { url, headers: Object.fromEntries(texts), body };
  }

  async createBucket(): Promise<void> {
    const body = JSON.stringify({ name: this.bucket });
    const reply = await this.call('POST', '/buckets', { body });
    requireStatus(reply, 201);
  }

  /** Deletes every object, then the bucket. Throws when objects remain. */
  async removeBucket(): Promise<void> {
    const list = `/objects/${this.bucket}?limit=1000`;
    for (
      let page = await this.untilServed('GET', list);
      ;
      page = await this.untilServed('GET', list)
    ) {
      if (page.status === 404) return;
      const { objects } = json(page);
      demand(Array.isArray(objects), shown(page));
      if (objects.length === 0) break;
      for (const { key } of objects) {
        const path = this.object(encodeURIComponent(key));
        requireStatus(await this.untilServed('DELETE', path), 200, 404);
      }
    }
    requireStatus(await this.untilServed('DELETE', `/buckets/${this.bucket}`), 204, 404);
  }

  /** Repeats a request that was refused for the moment. */
  private async untilServed(method: string, path: string): Promise<Reply> {
    for (let attempt = 1; ; attempt++) {
      const reply = await this.call(method, path);
      const isBusy = reply.status === 429 || reply.status >= 500;
      if (!isBusy || attempt === 5) return reply;
      await pause(Number(reply.headers['retry-after'] ?? 1) * 1000);
    }
  }
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('base64');
}

export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
