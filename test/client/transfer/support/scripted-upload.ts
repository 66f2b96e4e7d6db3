/** An upload to a scripted service and S3. */

import type { ResumeStore, SavedUpload } from '../../../../client';
import { StowageClient, type StowageError, type UploadOptions } from '../../../../client';
import type { UploadSource } from '../../../../client/transfer/source';

const MiB = 1024 ** 2;
export const PART = 5 * MiB;
export const OBJECT = { bucket: 'a', key: 'k', version: 2, cursor: 3 };
export const DESCRIPTOR = { ...OBJECT, size: 0, etag: 'e', metadata: {} };

type Answer = Promise<Response> | Response | undefined;

/** Responses that replace the successful ones of service and S3. undefined: the successful one. */
export type Script = Readonly<
  Record<string, (body: unknown, nth: number, init: RequestInit) => Answer>
>;

const signedOf = (size: number, id: string) => {
  const request = (method: string) => ({ url: `https://s3.example/${id}`, method, headers: {} });
  return {
    ...{ upload_id: id, part_size: PART, complete: request('POST'), abort: request('DELETE') },
    parts: Array.from({ length: Math.ceil(size / PART) }, (_, n) => {
      return { number: n + 1, url: `https://s3.example/${id}/${n + 1}` };
    }),
  };
};

const DEFAULTS: Script = {
  'POST signed-url': (body) => {
    const { size, upload_id: id = 'u' } = Object(body).multipart;
    return Response.json(signedOf(size ?? 3 * PART - 1, id));
  },
  'PUT objects/a/k': () => Response.json(DESCRIPTOR),
  'HEAD objects/a/k': () => new Response(null, { headers: { etag: '"e"' } }),
  'GET objects/a/k': () => Response.json(DESCRIPTOR),
  'GET uploads': () => Response.json({ state: 'committed', object: OBJECT }),
  'PUT s3': (_, nth) => new Response(null, { headers: { etag: `"${nth}"` } }),
  'POST s3': () => new Response('<CompleteMultipartUploadResult/>'),
  'DELETE s3': () => new Response(null, { status: 204 }),
};

export interface Recorded {
  readonly name: string;
  readonly address: string;
  readonly body: unknown;
}

/** `saved`: the saved state of an earlier upload. */
export function scripted(script: Script = {}, saved?: SavedUpload) {
  const requests: Recorded[] = [];
  const fetch = async (address: string, init: RequestInit) => {
    init.signal?.throwIfAborted();
    const name = nameOf(address, init.method ?? 'GET');
    const body = await bodyOf(init.body);
    requests.push({ name, address, body });
    const nth = requests.filter((each) => each.name === name).length;
    const answer = script[name]?.(body, nth, init) ?? DEFAULTS[name]?.(body, nth, init);
    if (!answer) throw new Error(`nothing answers ${name}`);
    return answer;
  };
  const states: (SavedUpload | undefined)[] = [];
  const resume: ResumeStore = {
    load: async () => saved,
    save: async (upload) => void states.push(upload),
    clear: async () => void states.push(undefined),
  };
  const client = new StowageClient({ baseUrl: 'https://files.example', fetch, retries: 0 });
  const progress: number[] = [];
  const onProgress = ({ sent }: { sent: number }) => progress.push(sent);
  const upload = (source: UploadSource, options: UploadOptions = {}) =>
    client.upload('a', 'k', source, { concurrency: 1, onProgress, ...options });
  const failing = (source: UploadSource, options: UploadOptions = {}) =>
    upload(source, options).then(
      () => undefined,
      (error: StowageError) => error,
    );
  const named = (name: string) => requests.filter((each) => each.name === name);
  const names = () => requests.map(({ name }) => name);
  return { client, fetch, upload, failing, resume, states, requests, named, names, progress };
}

function nameOf(address: string, method: string): string {
  if (address.startsWith('https://s3.')) return `${method} s3`;
  const path = new URL(address).pathname.replace('/api/v2/storage/', '');
  return `${method} ${path.startsWith('uploads/') ? 'uploads' : path}`;
}

async function bodyOf(body: RequestInit['body']): Promise<unknown> {
  if (body === undefined || body === null) return undefined;
  if (body instanceof Blob) return body.size;
  const text = await new Response(body).text();
  return text.startsWith('{') ? JSON.parse(text) : text;
}
