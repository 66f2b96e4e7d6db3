/** The Lambda handler of an app: sends its responses as streams, or buffered. */
import { Readable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { unavailable } from '../../core/errors';
import type { Log } from '../../core/system';
import type { App } from '../../service/http/app';
import { errorResponse, type HttpResponse } from '../../service/http/response';
import type { InvocationMeter } from './telemetry/emf-meter';

export type ResponseMode = 'stream' | 'buffered';

export interface CarrierDeps {
  readonly log: Log;
  readonly meter: InvocationMeter;
}

/**
 * The Lambda handler of an app. A response stream carries raw bytes without the limit of 6 MB;
 * `buffered` is for REST APIs that cannot stream. A body that fails while it is sent is logged and
 * counted. A stream is then cut, because its status is sent; a buffered response becomes a 503.
 */
export function createHandler(app: App, mode: ResponseMode, deps: CarrierDeps) {
  if (mode === 'buffered') {
    return async (event: APIGatewayProxyEvent) => {
      const response = await app(event);
      return proxyResult(response).catch((error: unknown) => {
        reportFailure(deps, event, error);
        return proxyResult(errorResponse(unavailable(error), event.requestContext.requestId));
      });
    };
  }
  return awslambda.streamifyResponse<APIGatewayProxyEvent>(async (event, stream) => {
    const response = await app(event);
    if (response.body instanceof Readable) {
      await streamBody(response, response.body, stream).catch((error: unknown) => {
        reportFailure(deps, event, error);
        // The runtime reports it to Lambda, which ends the response without its last chunk.
        throw error;
      });
    } else {
      await writeWhole(response, stream);
    }
  });
}

export function parseResponseMode(value: string): ResponseMode {
  if (value !== 'stream' && value !== 'buffered') {
    throw new Error(`RESPONSE_MODE must be stream or buffered, got ${value}`);
  }
  return value;
}

function reportFailure({ log, meter }: CarrierDeps, event: APIGatewayProxyEvent, error: unknown) {
  const { requestId } = event.requestContext;
  log.error('response_cut', { requestId, error });
  meter.add('CutResponses', 1);
  meter.report({ requestId });
}

async function proxyResult(response: HttpResponse): Promise<APIGatewayProxyResult> {
  const { status, body } = response;
  const headers = { ...response.headers };
  if (body === undefined) return { statusCode: status, headers, body: '' };
  if (typeof body === 'string') return { statusCode: status, headers, body };
  const bytes = body instanceof Readable ? Buffer.concat(await body.toArray()) : Buffer.from(body);
  return { statusCode: status, headers, body: bytes.toString('base64'), isBase64Encoded: true };
}

/**
 * The first write sends the metadata: a stream that ends without a write loses them, and the client
 * gets a 5xx. So there is one before the first byte of a body, and in place of an absent one.
 */
function open({ status, headers }: HttpResponse, raw: awslambda.ResponseStream) {
  return awslambda.HttpResponseStream.from(raw, { statusCode: status, headers: { ...headers } });
}

async function streamBody(response: HttpResponse, body: Readable, raw: awslambda.ResponseStream) {
  const stream = open(response, raw);
  stream.write('');
  // With `end` the pipeline would destroy the runtime's stream when the body fails. The runtime
  // does not expect that: its rejected promises would end the execution environment.
  await pipeline(body, stream, { end: false });
  stream.end();
  await finished(stream);
}

async function writeWhole(response: HttpResponse, raw: awslambda.ResponseStream): Promise<void> {
  const { body, headers } = response;
  const bytes = body === undefined ? undefined : Buffer.from(body as string);
  const length = bytes && { 'Content-Length': String(bytes.length) };
  const stream = open({ ...response, headers: { ...headers, ...length } }, raw);
  stream.write(bytes ?? '');
  stream.end();
  await finished(stream);
}
