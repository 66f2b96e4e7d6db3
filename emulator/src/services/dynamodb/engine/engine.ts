import { type Dispatcher, Pool } from 'undici';
import type { Json } from '../../../values/json';
import { DynamoDbError, JSON_TYPE, type Reply } from '../protocol/errors';
import { parseJson } from '../protocol/request-shape';

/**
 * The engine requires a signature but does not check it. DynamoDB Local has one database per access
 * key, hence a fixed one.
 */
const ENGINE_HEADERS = {
  'content-type': JSON_TYPE,
  'x-amz-date': '20250101T000000Z',
  authorization:
    'AWS4-HMAC-SHA256 Credential=local/20250101/us-east-1/dynamodb/aws4_request, SignedHeaders=host;x-amz-date;x-amz-target, Signature=0',
};
/** No operation of DynamoDB takes longer. */
const TIMEOUT_MILLISECONDS = 30_000;

/**
 * The engine could not be reached or closed the connection: whether it performed the request is
 * unknown.
 */
export class EngineUnreachable extends Error {}

/** A client of the engine. */
export class Engine {
  private readonly pool: Pool;

  constructor(endpoint: string, connections = 32) {
    this.pool = new Pool(endpoint, {
      connections,
      headersTimeout: TIMEOUT_MILLISECONDS,
      bodyTimeout: TIMEOUT_MILLISECONDS,
    });
  }

  /**
   * Forwards a request unchanged and returns the engine's response, also when it is an error.
   * Rejects with EngineUnreachable.
   */
  forward(operation: string, body: Buffer | string): Promise<Reply> {
    return new Promise((resolve, reject) => {
      this.pool.dispatch(
        {
          method: 'POST',
          path: '/',
          headers: { ...ENGINE_HEADERS, 'x-amz-target': `DynamoDB_20120810.${operation}` },
          body,
        },
        new Collector(resolve, (cause) =>
          reject(new EngineUnreachable(`the DynamoDB engine failed: ${cause.message}`, { cause })),
        ),
      );
    });
  }

  /** Sends a request of the emulator itself. Throws DynamoDbError when the engine refuses it. */
  async call(operation: string, request: Json): Promise<Json> {
    const reply = await this.forward(operation, JSON.stringify(request));
    const response = parseJson(reply.body);
    if (reply.status === 200) return response;
    const [, code = 'InternalServerError'] = String(response.__type).split('#');
    throw new DynamoDbError(code, String(response.message ?? response.Message), {}, reply.status);
  }

  async close(): Promise<void> {
    await this.pool.destroy();
  }
}

/**
 * Implements Undici's handler interface, which costs half as much as its request(): small bodies
 * need no streams.
 */
class Collector implements Dispatcher.DispatchHandler {
  private status = 0;
  private headers: Record<string, string> = {};
  private readonly chunks: Buffer[] = [];

  constructor(
    private readonly resolve: (reply: Reply) => void,
    private readonly reject: (cause: Error) => void,
  ) {}

  onRequestStart(): void {}

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    this.status = status;
    for (const name of ['content-type', 'x-amzn-requestid', 'x-amz-crc32']) {
      const value = headers[name];
      if (typeof value === 'string') this.headers[name] = value;
    }
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.chunks.push(chunk);
  }

  onResponseEnd(): void {
    const body = this.chunks.length === 1 ? this.chunks[0] : Buffer.concat(this.chunks);
    this.resolve({ status: this.status, headers: this.headers, body: body ?? Buffer.alloc(0) });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.reject(error);
  }
}
