/**
 * Carries an answer out of the function: as a response stream (raw bytes, no 6 MB limit) or, where
 * the REST API cannot stream, as a buffered proxy result.
 */
import { Readable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import type { HttpResponse } from './response';

export type App = (event: APIGatewayProxyEvent) => Promise<HttpResponse>;
export type ResponseMode = 'stream' | 'buffered';

export function createHandler(app: App, mode: ResponseMode) {
  if (mode === 'buffered') return async (event: APIGatewayProxyEvent) => buffered(await app(event));
  return awslambda.streamifyResponse<APIGatewayProxyEvent>(async (event, stream) =>
    streamed(await app(event), stream),
  );
}

export function parseResponseMode(value: string): ResponseMode {
  if (value !== 'stream' && value !== 'buffered') {
    throw new Error(`RESPONSE_MODE must be stream or buffered, got ${value}`);
  }
  return value;
}

async function buffered(answer: HttpResponse): Promise<APIGatewayProxyResult> {
  const { status, body } = answer;
  const headers = { ...answer.headers };
  if (body === undefined) return { statusCode: status, headers, body: '' };
  if (typeof body === 'string') return { statusCode: status, headers, body };
  const bytes = body instanceof Readable ? Buffer.concat(await body.toArray()) : Buffer.from(body);
  return { statusCode: status, headers, body: bytes.toString('base64'), isBase64Encoded: true };
}

async function streamed(answer: HttpResponse, raw: awslambda.ResponseStream): Promise<void> {
  const { status, headers, body } = answer;
  const metadata = { statusCode: status, headers: { ...headers } };
  if (body instanceof Readable) {
    const stream = awslambda.HttpResponseStream.from(raw, metadata);
    // The prelude leaves with the first write; without one an empty body would lose it.
    stream.write('');
    await pipeline(body, stream);
    return;
  }
  const bytes = body === undefined ? undefined : Buffer.from(body as string);
  if (bytes) metadata.headers['Content-Length'] = String(bytes.length);
  const stream = awslambda.HttpResponseStream.from(raw, metadata);
  stream.write(bytes ?? '');
  stream.end();
  await finished(stream);
}
