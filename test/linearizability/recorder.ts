/**
 * Records what clients send and receive as a history that the checker of this folder reads. It
 * stands in place of `fetch`, so it sees each attempt: those under one `Idempotency-Key` are one
 * operation, which lasts from the first request to the first response.
 */
import { createHash } from 'node:crypto';

/** An operation on a key, or a commit of a bucket; the names are those of the checker. */
export interface Recorded {
  readonly client: string;
  readonly bucket: string;
  readonly kind: 'put' | 'delete' | 'read' | 'any' | 'commit' | 'expiring';
  readonly key?: string;
  readonly prefix?: string;
  readonly call: number;
  /** undefined: the outcome is unknown. */
  return?: number;
  etag?: string;
  readonly if_match?: string;
  readonly if_none_match?: boolean;
  from?: number;
  to?: number;
  readonly if_cursor?: number;
  /** What the response says; the checker does not read it. */
  seen?: { readonly cursor: number; readonly version: number };
}

type Send = (address: string, init: RequestInit) => Promise<Response>;
type Body = Record<string, unknown>;

const BASE = '/api/v2/storage/';

/** The etag of an object that somebody else has written. */
const UNKNOWN_ETAG = '?';

interface Attempted {
  readonly operations: readonly Recorded[];
  /** Attempts that may still take effect, or have. */
  unanswered: number;
}

interface Request {
  readonly client: string;
  readonly method: string;
  readonly parts: readonly string[];
  readonly query: URLSearchParams;
  readonly headers: Headers;
  readonly bytes: Buffer;
  readonly call: number;
}

export class HistoryRecorder {
  private readonly all: Recorded[] = [];
  /** Requests of every kind. */
  requests = 0;
  private time = 0;
  private readonly refused = new Set<Recorded>();
  /** By idempotency key. */
  private readonly attempted = new Map<string, Attempted>();

  /** A `fetch` whose requests are recorded as those of the client. */
  recording(client: string, send: Send): Send {
    return async (address, init) => {
      this.requests += 1;
      // Bytes that go straight to S3: the signed URL was recorded.
      if (!address.includes(BASE)) return send(address, init);
      const request = this.requestOf(client, address, init);
      const made = this.begin(request);
      const response = await send(address, init);
      const isDownload = request.method === 'GET' && !request.query.has('view');
      if (isDownload && response.ok) {
        if (isPresent(request)) this.downloaded(request, response.headers);
        return response;
      }
      const text = await response.text();
      this.end(request, made, { status: response.status, body: parsed(text) });
      return withText(response, text);
    };
  }

  /** Those that were not refused. */
  get operations(): readonly Recorded[] {
    return this.all.filter((one) => !this.refused.has(one));
  }

  /** One JSON value a line. */
  lines(): string {
    return this.operations.map(({ seen, ...line }) => `${JSON.stringify(line)}\n`).join('');
  }

  private requestOf(client: string, address: string, init: RequestInit): Request {
    const { pathname, searchParams: query } = new URL(address);
    const parts = pathname.replace(BASE, '').split('/').map(decodeURIComponent);
    const bytes = Buffer.from((init.body ?? '') as Uint8Array);
    this.time += 1;
    return {
      ...{ client, parts, query, bytes, call: this.time, method: init.method ?? 'GET' },
      headers: new Headers(init.headers),
    };
  }

  private begin(request: Request): Attempted | undefined {
    const key = request.headers.get('idempotency-key');
    const known = key === null ? undefined : this.attempted.get(key);
    const made = known ?? { operations: writesOf(request), unanswered: 0 };
    if (made.operations.length === 0) return undefined;
    made.unanswered += 1;
    if (!known) this.all.push(...made.operations);
    for (const one of made.operations) this.refused.delete(one);
    if (key !== null) this.attempted.set(key, made);
    return made;
  }

  private end(
    request: Request,
    made: Attempted | undefined,
    { status, body }: { readonly status: number; readonly body: Body },
  ): void {
    this.time += 1;
    if (status >= 500) return;
    if (status >= 400) {
      if (made) this.refuse(made);
      if (!isPresent(request)) return;
      const { code, details = {} } = (body.error ?? {}) as { code?: string; details?: Body };
      if (code === 'not_found') this.read(request, '');
      // Which object a write met, for a key that may read it.
      if (code === 'precondition_failed') this.read(request, String(details.etag ?? ''));
      return;
    }
    const { etag } = body;
    const isRead = request.method === 'GET' && isPresent(request);
    if (isRead && typeof etag === 'string') this.read(request, etag, seenIn(body));
    if (made) this.acknowledge(request, made, body);
  }

  private downloaded(request: Request, headers: Headers): void {
    const [etag = '', cursor, version] = ['etag', 'x-object-cursor', 'x-object-version'].map(
      (name) => headers.get(name) ?? '',
    );
    // A large object comes from the store by a redirect, without the headers of the service.
    const seen = cursor === '' ? undefined : { cursor: Number(cursor), version: Number(version) };
    this.read(request, etag.replaceAll('"', ''), seen);
  }

  private read({ client, parts, call }: Request, etag: string, seen?: Recorded['seen']): void {
    const [, bucket = '', ...segments] = parts;
    const made = { client, bucket, kind: 'read', key: segments.join('/'), call, etag } as const;
    this.time += 1;
    this.all.push({ ...made, return: this.time, ...(seen && { seen }) });
  }

  /** Nothing was changed, unless by an attempt without a response. */
  private refuse(made: Attempted): void {
    made.unanswered -= 1;
    if (made.unanswered > 0) return;
    for (const one of made.operations) this.refused.add(one);
  }

  private acknowledge(request: Request, { operations }: Attempted, body: Body): void {
    if (operations.some((one) => one.return !== undefined)) return;
    const changes = (body.changes ?? [body]) as Body[];
    for (const one of operations) {
      const from = body.from ?? body.cursor;
      if (one.kind === 'commit') {
        // Without a cursor nothing was to be changed.
        if (from === undefined) continue;
        Object.assign(one, { return: this.time, from, to: body.to ?? from });
      } else if (one.key !== undefined && one.kind !== 'any' && request.parts[0] !== 'signed-url') {
        const change = changes.find(({ key }) => key === one.key);
        if (change) this.changed(one, change);
      }
    }
    // Deletions of what did not exist are no changes.
    const missing = operations.filter((one) => one.kind === 'delete' && one.return === undefined);
    for (const one of missing) {
      if (one.key === undefined) continue;
      Object.assign(one, { kind: 'read', etag: '', return: this.time });
    }
  }

  private changed(one: Recorded, change: Body): void {
    one.return = this.time;
    if (change.etag !== undefined) one.etag = String(change.etag);
    one.seen = seenIn(change);
  }
}

/** Whether the request is for the present state of one object. */
function isPresent({ parts, query }: Request): boolean {
  const isObject = parts[0] === 'objects' && parts.length > 2;
  return isObject && !['version', 'as_of'].some((name) => query.has(name));
}

/** The writes for which a request asks. */
function writesOf(request: Request): Recorded[] {
  const { client, method, parts, query, bytes, call } = request;
  const [collection, bucket = '', ...segments] = parts;
  if (method === 'GET' || method === 'HEAD') return [];
  if (collection === 'objects') {
    const at = { client, bucket, call };
    const prefix = query.get('prefix');
    if (prefix !== null) return [{ ...at, kind: 'delete', prefix }];
    const named = { ...at, key: segments.join('/'), ...conditionsOf(request) };
    const commit = { ...at, kind: 'commit' } as const;
    if (method === 'DELETE') return [{ ...named, kind: 'delete' }, commit];
    const etag = md5(bytes);
    const put = { ...named, kind: 'put', etag } as const;
    const isExpiring = request.headers.has('x-object-expires-at');
    return [put, commit, ...(isExpiring ? [{ ...at, kind: 'expiring', etag } as const] : [])];
  }
  const body = parsed(bytes.toString());
  const at = { client, bucket: String(body.bucket), call };
  const { key, prefix = '' } = body as { key?: string; prefix?: string };
  if (collection === 'commits') return writesOfCommit(at, body);
  if (collection === 'restore') return body.dry_run ? [] : [{ ...at, kind: 'any', prefix }];
  const isUpload = collection === 'signed-url' && body.method === 'PUT' && key !== undefined;
  return isUpload ? [{ ...at, kind: 'put', key, etag: UNKNOWN_ETAG }] : [];
}

function writesOfCommit(at: Pick<Recorded, 'client' | 'bucket' | 'call'>, body: Body): Recorded[] {
  const writes = (body.changes as Body[]).flatMap((change): Recorded[] => {
    const { op, key, content, expires_at: expires } = change as Record<string, string>;
    const conditions = {
      ...(change.if_match !== undefined && { if_match: String(change.if_match) }),
      ...(change.if_none_match !== undefined && { if_none_match: true }),
    };
    const named = { ...at, key, ...conditions };
    // A patch puts the same bytes again.
    if (op === 'patch') return [];
    if (op === 'delete') return [{ ...named, kind: 'delete' }];
    const etag = content === undefined ? UNKNOWN_ETAG : md5(Buffer.from(content, 'base64'));
    const put: Recorded = { ...named, kind: 'put', etag };
    const { key: source } = (change.from ?? {}) as { key?: string };
    return [
      put,
      ...(op === 'move' ? [{ ...at, kind: 'delete', key: source } as const] : []),
      ...(expires === undefined ? [] : [{ ...at, kind: 'expiring', etag } as const]),
    ];
  });
  const ifCursor = body.if_cursor === undefined ? {} : { if_cursor: Number(body.if_cursor) };
  return [...writes, { ...at, kind: 'commit', ...ifCursor }];
}

function conditionsOf({ headers }: Request): Pick<Recorded, 'if_match' | 'if_none_match'> {
  const match = headers.get('if-match')?.replaceAll('"', '');
  return {
    ...(match !== undefined && { if_match: match }),
    ...(headers.has('if-none-match') && { if_none_match: true }),
  };
}

function seenIn({ cursor, version }: Body): Recorded['seen'] {
  return { cursor: Number(cursor), version: Number(version) };
}

function md5(bytes: Buffer): string {
  return createHash('md5').update(bytes).digest('hex');
}

function parsed(text: string): Body {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

/** The response, whose body was read. */
function withText({ status, ok, headers }: Response, text: string): Response {
  const response = { status, ok, headers, body: null, text: async () => text };
  return response as unknown as Response;
}
