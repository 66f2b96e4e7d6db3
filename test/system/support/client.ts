/** A client of the running service that records the acknowledged changes. */
import { Agent, request } from 'undici';
import type { Acknowledged } from '../../support/invariants';
import type { Running } from './local-service';

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

export class Client {
  private readonly agent: Agent;
  readonly acknowledged: Acknowledged[] = [];

  constructor(
    private readonly service: Pick<Running, 'baseUrl' | 'apiKey'>,
    { connections = 64 }: { readonly connections?: number } = {},
  ) {
    this.agent = new Agent({ connections, keepAliveTimeout: 10_000 });
  }

  /** Sends a request to `/api/v2/storage` and `path`. Rejects when the connection breaks. */
  async send(
    method: string,
    path: string,
    body?: string | Uint8Array,
    apiKey = this.service.apiKey,
  ): Promise<Reply> {
    const response = await request(`${this.service.baseUrl}/api/v2/storage${path}`, {
      dispatcher: this.agent,
      method: method as 'GET',
      headers: { authorization: `Bearer ${apiKey}` },
      body,
    });
    const bytes = Buffer.from(await response.body.arrayBuffer());
    return { status: response.statusCode, headers: response.headers, body: bytes };
  }

  /**
   * Puts or deletes an object and records the acknowledgement. Returns the status, or undefined
   * when no response came.
   */
  async change(bucket: string, key: string, body?: string): Promise<number | undefined> {
    const method = body === undefined ? 'DELETE' : 'PUT';
    const reply = await this.send(method, `/objects/${bucket}/${key}`, body).catch(() => undefined);
    if (reply && reply.status < 300) {
      const { version, cursor, etag } = JSON.parse(reply.body.toString());
      this.acknowledged.push({ key, version, cursor, ...(etag && { etag }) });
    }
    return reply?.status;
  }

  close(): Promise<void> {
    return this.agent.destroy();
  }
}

/** Calls `work` with 0 … total - 1, `width` calls at a time. */
export async function inParallel(
  width: number,
  total: number,
  work: (n: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < total) await work(next++);
  };
  await Promise.all(Array.from({ length: width }, worker));
}
