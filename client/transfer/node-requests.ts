/**
 * Requests of transfers by `node:https`, in Node.js. They need a third of the processor time and
 * memory of `fetch`, which allocates a buffer for every 64 KiB, and they do not decode a
 * Content-Encoding.
 */
import type { ResponseHead } from '../http';
import { builtinModule, isNode } from './local-files';

/** The part of `node:http`'s IncomingMessage that is used here. */
interface NodeResponse extends AsyncIterable<Uint8Array> {
  readonly statusCode?: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  destroy(): void;
}

/** The part of `node:http`'s ClientRequest that is used here. */
export interface NodeRequest {
  on(event: 'error', listener: (error: Error) => void): void;
  once(event: 'response', listener: (response: NodeResponse) => void): void;
  write(bytes: Uint8Array, written: (error?: Error | null) => void): void;
  end(): void;
  destroy(): void;
}

interface NodeHttp {
  request(
    url: string,
    options: {
      readonly method: string;
      readonly headers: Readonly<Record<string, string>>;
      readonly signal: AbortSignal;
    },
  ): NodeRequest;
}

/** A response whose body is read piece by piece. */
export interface Received extends ResponseHead {
  /** Whether the bytes are as stored, even with a Content-Encoding. */
  readonly isRaw: boolean;
  /** Returns the next bytes, or undefined at the end. */
  read(): Promise<Uint8Array | undefined>;
  /** Returns the rest of the body. */
  text(): Promise<string>;
  /** Discards the rest of the body. */
  cancel(): Promise<void>;
}

export interface StartedRequest {
  readonly request: NodeRequest;
  /** Rejects when the connection is lost before there is a response. */
  readonly response: Promise<Received>;
}

export interface NodeRequests {
  /** The caller ends the request. */
  start(
    method: 'GET' | 'PUT',
    url: string,
    headers: Readonly<Record<string, string | undefined>>,
    signal: AbortSignal,
  ): StartedRequest;
}

/** Returns undefined in other runtimes than Node.js. */
export async function nodeRequests(): Promise<NodeRequests | undefined> {
  if (!isNode()) return undefined;
  const [http, https] = await Promise.all([
    builtinModule<NodeHttp>('node:http'),
    builtinModule<NodeHttp>('node:https'),
  ]);
  return {
    start: (method, url, headers, signal) => {
      const { request: begin } = url.startsWith('https:') ? https : http;
      const present = Object.entries(headers).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, value] as const],
      );
      const request = begin(url, { method, headers: Object.fromEntries(present), signal });
      const response = new Promise<Received>((resolve, reject) => {
        request.once('response', (message) => resolve(nodeReceived(message)));
        // An error may follow a response: a server that refuses a request closes before it has read
        // it.
        request.on('error', reject);
      });
      // Nobody may be waiting for it yet.
      response.catch(() => undefined);
      return { request, response };
    },
  };
}

function nodeReceived(message: NodeResponse): Received {
  const pieces = message[Symbol.asyncIterator]();
  const read = async () => {
    const { done, value } = await pieces.next();
    return done ? undefined : value;
  };
  return {
    status: message.statusCode ?? 0,
    headers: {
      get: (name) => {
        const value = message.headers[name];
        return value === undefined ? null : String(value);
      },
    },
    isRaw: true,
    read,
    text: () => textOf(read),
    cancel: async () => message.destroy(),
  };
}

/** A response of `fetch`. Not every browser can iterate a stream. */
export function fetchReceived(response: Response): Received {
  const reader = response.body?.getReader();
  const read = async () => {
    const next = await reader?.read();
    return next?.done ? undefined : next?.value;
  };
  return {
    status: response.status,
    headers: response.headers,
    isRaw: response.headers.get('content-encoding') === null,
    read,
    text: () => textOf(read),
    cancel: async () => {
      await reader?.cancel().catch(() => undefined);
    },
  };
}

async function textOf(read: Received['read']): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for (let bytes = await read(); bytes; bytes = await read()) {
    text += decoder.decode(bytes, { stream: true });
  }
  return text + decoder.decode();
}
