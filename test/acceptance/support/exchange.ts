import type { IncomingHttpHeaders } from 'node:http';

/** A response of the service. */
export interface HttpResponse {
  /** Method and URL, for messages. */
  readonly request: string;
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface Call {
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: Uint8Array | string;
  /**
   * An API key; `null` sends no Authorization header. The key with every permission when absent.
   */
  readonly key?: string | null;
}
