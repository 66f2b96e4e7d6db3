/** The schemas of request bodies accept exactly what the parsers of the service accept. */
import fc from 'fast-check';
import { BucketIds } from '../../core/buckets/bucket-ids';
import { LIMITS } from '../../core/limits';
import { ADMINISTRATION_PATHS } from '../../openapi/operations/administration';
import { STORAGE_PATHS } from '../../openapi/operations/storage';
import { createAdmin } from '../../service/administration/app';
import type { App } from '../../service/http/app';
import { createApi } from '../../service/storage-api';
import { createFakes } from '../support/fakes/fakes';
import { send } from '../support/requests';
import { createValidator } from './validator';
import { around } from './values';

/** A rate that this test does not exceed. */
const UNLIMITED = { rate: 1e6, burst: 1e6 };
const rateTiers = {
  default: {
    ...{ read: UNLIMITED, write: UNLIMITED, list: UNLIMITED },
    ...{ sign: UNLIMITED, wait: { ...UNLIMITED, concurrent: 1000 } },
    connect: { ...UNLIMITED, concurrent: 1000 },
  },
};

/** Both interfaces over empty tables: no bucket of one test exists in another. */
function createServices() {
  const fakes = { ...createFakes(), rateTiers };
  const storage = createApi({
    ...fakes,
    bucketIds: new BucketIds(fakes.buckets),
    backoff: async () => undefined,
    responseMode: 'stream',
    linksAndKeys: { ...fakes, baseUrl: 'https://files.example/' },
    tickets: { subscriptions: fakes.subscriptions, syncUrl: 'wss://sync.example/sync' },
  });
  const administration = createAdmin({
    ...fakes,
    verify: async () => ({ id: 'u1', name: 'dev', until: fakes.clock.now() + 3_600_000 }),
    tiers: rateTiers,
    config: {},
  });
  return { storage, administration, now: fakes.clock.now() };
}

function ask(app: App, method: string, path: string, body: string) {
  const headers = { 'content-type': 'application/json' };
  return send((incoming) => app({ ...incoming, path }), { method, path, headers, body });
}

/** Every operation with a JSON body. */
const bodies = [
  ...Object.values(STORAGE_PATHS).map((path) => ({ of: 'storage' as const, ...path })),
  ...Object.values(ADMINISTRATION_PATHS).map((path) => ({
    of: 'administration' as const,
    ...path,
  })),
].flatMap(({ of, path, operations }) =>
  Object.entries(operations).flatMap(([method, { id, body }]) =>
    body && 'json' in body.content
      ? [{ id, of, path, method, schema: `#/components/schemas/${body.content.json}` }]
      : [],
  ),
);

/** The path of an operation, of a key that exists. */
async function pathOf({ path }: { readonly path: string }, administration: App) {
  const key = '{"name":"x","permissions":[{"buckets":["*"],"actions":["read"]}]}';
  const made = await ask(administration, 'POST', '/admin/v1/keys', key);
  return path
    .replace('{id}', made.json<{ key: { id: string } }>().key.id)
    .replace('{bucket}', 'photos')
    .replace('{name}', 'indexer');
}

test('at least seven operations have a JSON body', () => {
  expect(bodies.length).toBeGreaterThanOrEqual(7);
});

test.each(bodies)('$id repeats no more than the beginning of a long name', async (body) => {
  const services = createServices();
  const path = await pathOf(body, services.administration);
  const name = '\u{1f600}'.repeat(1_000);
  const text = JSON.stringify({
    ...{ bucket: 'photos', key: 'a', method: 'PUT', name: 'photos', [name]: 1 },
    ...{ permissions: [{ [name]: 1 }], changes: [{ op: 'delete', key: 'a', [name]: 1 }] },
    ...{ multipart: { [name]: 1 }, metadata: { [name]: 1 }, lifecycle: [{ [name]: 1 }] },
  });
  const response = await ask(services[body.of], body.method, path, text);
  expect([response.status, response.body.length < 2000]).toEqual([400, true]);
  expect(response.body.toString().isWellFormed()).toBe(true);
});

test.each(bodies)(
  '$id returns 400 for a body exactly when its schema refuses it',
  async (body) => {
    const { method, schema } = body;
    const { now, ...services } = createServices();
    const app = services[body.of];
    const path = await pathOf(body, services.administration);
    const accepts = createValidator(now)({ $ref: schema });
    const seen = { accepted: 0, refused: 0 };
    await fc.assert(
      fc.asyncProperty(around({ $ref: schema }), async (value) => {
        // A page token is valid only as the service has made it.
        const text = JSON.stringify(value, (name, each) =>
          name === 'page_token' && typeof each === 'string' ? undefined : each,
        );
        // A larger body gets 413, whatever it contains.
        fc.pre(Buffer.byteLength(text) <= LIMITS.jsonBodyBytes);
        const response = await ask(app, method, path, text);
        const isAccepted = accepts(JSON.parse(text));
        seen[isAccepted ? 'accepted' : 'refused']++;
        expect([response.status < 429, response.status !== 400]).toEqual([true, isAccepted]);
      }),
      { numRuns: 600 },
    );
    expect(Math.min(seen.accepted, seen.refused)).toBeGreaterThan(15);
  },
  60_000,
);
