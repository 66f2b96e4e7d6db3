import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { AwsError } from './aws-error';
import { encode } from './encode';
import {
  type Credentials,
  type Endpoint,
  endpointOverride,
  environmentRegion,
  regionalHost,
} from './environment';
import { open, readAll, type Timeouts, type WireRequest, type WireResponse } from './http';
import { createRequestSigner, type RequestSigner } from './request-signature';

export interface AwsRequest {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  /** Default: the client's endpoint. */
  readonly endpoint?: Endpoint;
  /** Encoded, as it is sent. Default: `/`. */
  readonly path?: string;
  /** Neither names nor values are encoded. */
  readonly query?: Readonly<Record<string, string>>;
  /**
   * Names in lower case. `host`, `content-length` and those of the signature are added.
   * `x-amz-content-sha256`, if given, saves hashing the body.
   */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /**
   * Whether a response of 200 may have an error as its body, because S3 begins it before a long
   * call has ended. It then counts as a 503, as in the SDK.
   */
  readonly mayFailLate?: boolean;
}

export interface AwsResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface OpenAwsResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Not read yet. Destroying it closes the connection. */
  readonly body: IncomingMessage;
}

export interface AwsClientOptions {
  /** In the signature, the endpoint and AWS_ENDPOINT_URL_<SERVICE>: `dynamodb`, `s3`. */
  readonly service: string;
  readonly timeouts: Timeouts;
  /** The error that a response with a status of 300 or more tells of. */
  readonly parseError: (response: AwsResponse) => AwsError;
  /** As in SignerOptions. */
  readonly uriEscapePath?: boolean;
  /** Attempts of a call at most. Default: 3, as many as the SDK makes. */
  readonly attempts?: number;
  /** The wait before the second attempt is up to this long; twice that before the third. */
  readonly retryWaitMs?: number;
  /** Default: the environment's region, credentials and endpoint. */
  readonly region?: string;
  readonly credentials?: () => Credentials;
  readonly endpoint?: Endpoint;
}

/** All of them together fit in a function's 29 s. */
const ATTEMPTS = 3;
const RETRY_WAIT_MS = 50;
const THROTTLED_WAIT_MS = 1_000;

/** Above what any service answers in one response that is not streamed. */
const MAX_RESPONSE_BYTES = 64 * 1024 * 1024;

/**
 * Calls of one AWS service: signs, sends over a kept connection, and repeats as the SDK's standard
 * mode does after throttling, a 5xx, a timeout or a broken connection. What it does not do that the
 * SDK does: docs/design.md, "Functions".
 */
export class AwsClient {
  readonly region: string;
  readonly endpoint: Endpoint;
  private readonly signed: RequestSigner;

  constructor(private readonly options: AwsClientOptions) {
    const { service, region, endpoint } = options;
    this.region = region ?? environmentRegion();
    this.endpoint = endpoint ??
      endpointOverride(service) ?? {
        protocol: 'https:',
        hostname: regionalHost(service, this.region),
      };
    this.signed = createRequestSigner({ ...options, region: this.region });
  }

  /** Throws an AwsError for a status of 300 or more, and when no response comes. */
  async call(request: AwsRequest): Promise<AwsResponse> {
    return this.repeat(request, async (response) => {
      const read = await this.read(response);
      if (request.mayFailLate !== true || !read.body.includes('<Error>')) return read;
      throw this.options.parseError({ ...read, status: 503 });
    });
  }

  /** As `call`, with the body as a stream. Nothing is repeated once the response has begun. */
  async open(request: AwsRequest): Promise<OpenAwsResponse> {
    return this.repeat(request, async ({ status, headers, message }) => ({
      status,
      headers,
      body: message,
    }));
  }

  private async repeat<T>(
    request: AwsRequest,
    accept: (response: WireResponse) => Promise<T>,
  ): Promise<T> {
    const { attempts = ATTEMPTS, retryWaitMs = RETRY_WAIT_MS } = this.options;
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.attempt(request, accept);
      } catch (error) {
        if (attempt === attempts || !(error instanceof AwsError) || !error.isRetryable) {
          throw error;
        }
        const wait = error.isThrottling ? THROTTLED_WAIT_MS : retryWaitMs;
        await sleep(Math.random() * wait * 2 ** (attempt - 1));
      }
    }
  }

  /** Signs anew each time: a signature is of its time, and credentials may have changed. */
  private async attempt<T>(
    request: AwsRequest,
    accept: (response: WireResponse) => Promise<T>,
  ): Promise<T> {
    const { endpoint = this.endpoint } = request;
    const response = await open(endpoint, this.sign(request), this.options.timeouts);
    if (response.status < 300) return accept(response);
    throw this.options.parseError(await this.read(response));
  }

  private async read({ status, headers, message }: WireResponse): Promise<AwsResponse> {
    const body = await readAll(message, MAX_RESPONSE_BYTES, this.options.timeouts.request);
    return { status, headers, body };
  }

  private sign(request: AwsRequest): WireRequest {
    const { method, endpoint = this.endpoint, path = '/', query = {}, body } = request;
    const { hostname, port } = endpoint;
    const headers = {
      ...request.headers,
      host: port === undefined ? hostname : `${hostname}:${port}`,
      ...(body !== undefined && { 'content-length': String(Buffer.byteLength(body)) }),
    };
    return {
      method,
      path: path + queryString(query),
      headers: this.signed({ method, path, query, headers, body }),
      ...(body !== undefined && { body }),
    };
  }
}

function queryString(query: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(query).map(([name, value]) => `${encode(name)}=${encode(value)}`);
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}
