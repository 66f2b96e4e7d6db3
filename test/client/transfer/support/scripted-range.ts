/** A range of an object that is received by scripted responses. */
import type { ObjectDescriptor } from '../../../../client';
import { Http } from '../../../../client/http';
import type { NodeRequests } from '../../../../client/transfer/node-requests';
import { type BytesWanted, receiveRange } from '../../../../client/transfer/ranges';

export const MiB = 1024 ** 2;
export const OBJECT = { bucket: 'a', key: 'k', version: 3, etag: 'e', size: 6 } as ObjectDescriptor;
export const LARGE = { ...OBJECT, size: 4 * MiB + 1 };
export const INLINE = 'https://files.example/api/v2/storage/objects/a/k?version=3';
const WHOLE = { from: 0, to: 6 };
export const SIGNED = { url: 'https://s3.example/k' };

export type Answer = (signal: AbortSignal) => Promise<Response> | Response;

export interface World {
  readonly object?: ObjectDescriptor;
  readonly wanted?: BytesWanted;
  readonly signal?: AbortSignal;
  readonly take?: (bytes: Uint8Array) => void;
  readonly node?: NodeRequests;
}

/** Receives a range by these responses; the last one is repeated. */
export function receiving(answers: readonly Answer[], world: World = {}) {
  const { object = OBJECT, wanted = WHOLE, node } = world;
  const asked: [address: string, headers: object][] = [];
  const fetch = async (address: string, { headers, signal }: RequestInit) => {
    asked.push([address, Object.fromEntries(new Headers(headers))]);
    const answer = answers[Math.min(asked.length, answers.length) - 1];
    if (!answer || !signal) throw new Error('no answer');
    return answer(signal);
  };
  const http = new Http({ baseUrl: 'https://files.example', apiKey: 'osk_1', fetch });
  const signal = world.signal ?? new AbortController().signal;
  const received: [at: number, text: string][] = [];
  const download = { object, onProgress: () => undefined, signal };
  const deps = { http, fetch, node, random: () => 0 };
  const done = receiveRange(deps, download, wanted, (bytes, at) => {
    world.take?.(bytes);
    received.push([at, Buffer.from(bytes).toString()]);
  });
  return { done, asked, received };
}

export const bytes =
  (text: string, status = 200, headers: Record<string, string> = { etag: '"e"' }): Answer =>
  () =>
    new Response(text, { status, headers });
export const hanging: Answer = (signal) =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
