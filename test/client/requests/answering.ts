/** A client whose requests get fixed responses, and the requests that it sent. */
import { StowageClient } from '../../../client';

export interface Sent {
  readonly method: string;
  /** The path below `/api/v2/storage/`, with the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Parsed, when it is JSON. */
  readonly body?: unknown;
}

/** A response that every method accepts. */
export const ANY = {
  ...{ name: 'a', cursor: 0, lag: 0, url: 'https://s3.example/', headers: {}, token: 't' },
  ...{ links: [], consumers: [], versions: [], objects: [], changes: [], bucket_id: 'i' },
  ...{ has_more: false, deleted: 0, state: 'pending', key: 'k', size: 0 },
};

const ROOT = 'https://files.example/api/v2/storage/';

/** `answers`: bodies of JSON; the last one is repeated. Nothing is sent again. */
export function answering(...answers: readonly unknown[]) {
  const sent: Sent[] = [];
  const fetch = async (address: string, { method = '', headers, body }: RequestInit) => {
    sent.push({
      ...{ method, path: address.replace(ROOT, '') },
      headers: Object.fromEntries(new Headers(headers)),
      ...(body !== undefined && { body: parsed(body) }),
    });
    return Response.json(answers[Math.min(sent.length, answers.length) - 1]);
  };
  const client = new StowageClient({ baseUrl: 'https://files.example', fetch, retries: 0 });
  return { client, sent };
}

function parsed(body: RequestInit['body']): unknown {
  try {
    return JSON.parse(String(body));
  } catch {
    return body;
  }
}
