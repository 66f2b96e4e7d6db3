/** Lambda handlers that send responses as streams, or buffered. */
import { Readable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { unavailable } from '../../core/errors';
import type { Log } from '../../core/system';
import { errorResponse, type HttpResponse, type ResponseMode } from '../../service/http/response';
import type { InvocationMeter } from './telemetry/emf-meter';

interface HandlerDeps {
  readonly log: Log;
  readonly meter: InvocationMeter;
}

/** An event of API Gateway or of a function URL. */
interface HttpEvent {
  readonly requestContext: { readonly requestId: string };
}

/**
 * Returns the handler of events that `respond` answers. A response stream carries raw bytes
 * without the limit of 6 MB; `buffered` is for REST APIs that cannot stream. A body that fails
 * while it is sent is logged and counted. A stream is then cut, because its status is sent; a
 * buffered response becomes a 503.
 */
export function createHandler<Event extends HttpEvent = APIGatewayProxyEvent>(
  respond: (event: Event) => Promise<HttpResponse>,
  mode: ResponseMode,
  deps: HandlerDeps,
) {
  if (mode === 'buffered') {
    return async (event: Event) => {
      const response = await respond(event);
      return proxyResult(response).catch((error: unknown) => {
        reportFailure(deps, event, error);
        return proxyResult(errorResponse(unavailable(error), event.requestContext.requestId));
      });
    };
  }
  return awslambda.streamifyResponse<Event>(async (event, stream) => {
    const response = await respond(event);
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

function reportFailure({ log, meter }: HandlerDeps, event: HttpEvent, error: unknown) {
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
