/**
 * HTTP as it is on the wire: the path is sent byte for byte (fetch would resolve dot segments and
 * encode it again), redirects are not followed, bodies are not decoded, and only the headers Host,
 * Connection and Content-Length are added.
 */
import * as http from 'node:http';
import * as https from 'node:https';
import { disagreements } from './document';
import type { Call, HttpResponse } from './exchange';
import { apiKey, baseUrl } from './target';

/** No request of this suite may take longer. */
const TIMEOUT_MILLISECONDS = 60_000;

// Idle sockets are closed before a server closes them, which could break a request.
const options = { keepAlive: true, timeout: 2_000, maxSockets: 64 };
const agents = { 'http:': new http.Agent(options), 'https:': new https.Agent(options) };

/** Node.js sends the body of a DELETE without any framing unless the length is given. */
function lengthOf(body: Call['body']): Record<string, string> {
  return body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
}

/** Sends one request to an absolute URL, exactly as written. */
export function send(
  method: string,
  url: string,
  call: Omit<Call, 'key'> = {},
): Promise<HttpResponse> {
  const [, protocol, host, path] = /^(https?:)\/\/([^/]+)(\/.*)?$/.exec(url) ?? [];
  if ((protocol !== 'http:' && protocol !== 'https:') || host === undefined) {
    throw new Error(`not an absolute URL: ${url}`);
  }
  const { hostname, port } = new URL(`${protocol}//${host}`);
  const shown = `${method} ${url}`;
  return new Promise((resolve, reject) => {
    const request = (protocol === 'http:' ? http : https).request(
      {
        method,
        host: hostname.replace(/^\[|\]$/g, ''),
        port,
        path: path ?? '/',
        headers: { host, ...lengthOf(call.body), ...call.headers },
        agent: agents[protocol],
        signal: AbortSignal.timeout(TIMEOUT_MILLISECONDS),
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () =>
          resolve({
            request: shown,
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: Buffer.concat(chunks),
          }),
        );
      },
    );
    request.on('error', (cause) => reject(new Error(`${shown}: ${cause.message}`, { cause })));
    // RFC 9110 §10.1.1: with Expect: 100-continue the body is sent when the server asks for it.
    if (call.headers?.expect === undefined) request.end(call.body);
    else request.once('continue', () => request.end(call.body)).flushHeaders();
  });
}

/**
 * Sends one request to the service. `path` begins with a slash and is sent unchanged. Fails when
 * the response does not conform to the service's OpenAPI document.
 */
export async function call(
  method: string,
  path: string,
  { key, ...rest }: Call = {},
): Promise<HttpResponse> {
  const authorization: Record<string, string> =
    key === null ? {} : { authorization: `Bearer ${key ?? apiKey()}` };
  const response = await send(method, baseUrl() + path, {
    ...rest,
    headers: { ...authorization, ...rest.headers },
  });
  const wrong = disagreements(method, path, response);
  if (wrong.length > 0) {
    const shown = `${response.request} -> ${response.status} ${JSON.stringify(response.headers)}`;
    const body = response.body.subarray(0, 600).toString('utf8');
    throw new Error(
      `the response does not conform to the OpenAPI document: ${wrong.join('; ')}\n${shown}\n${body}`,
    );
  }
  return response;
}

/** Sends a request with a JSON body. */
export function callJson(
  method: string,
  path: string,
  value: unknown,
  { headers, ...rest }: Omit<Call, 'body'> = {},
): Promise<HttpResponse> {
  return call(method, path, {
    ...rest,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(value),
  });
}
