/**
 * A sample of the authorisation matrix (test/lambdas/authorization) over HTTP: through the gateway,
 * its authorizer and the functions with their roles. MATRIX_SEED draws another one, MATRIX_CELLS a
 * larger one.
 */
import { createApiKey } from '../../cli/operate/api-keys';
import type { Permission } from '../../core/access/ports';
import { drawing, PERMISSIONS } from '../lambdas/authorization/callers';
import { type Asked, REQUESTS, type Resources } from '../lambdas/authorization/operations';
import { decide } from '../lambdas/authorization/rules';
import { makeResources } from '../lambdas/authorization/world';
import { useEmulatedService } from '../support/local-service/shared-service';
import { Client } from './support/client';
import { openStores } from './support/local-service';

const SEED = Number(process.env.MATRIX_SEED ?? 15);
const CELLS = Number(process.env.MATRIX_CELLS ?? 240);
const CELLS_OF_KEY = 12;

const service = useEmulatedService();
let stores: ReturnType<typeof openStores>;
let client: Client;
let resources: readonly Resources[];

beforeAll(async () => {
  stores = openStores(service().data);
  client = new Client(service());
  resources = await makeResources(async (asked) => ask(asked));
});
afterAll(async () => {
  await client.close();
  stores.close();
});

async function ask({ method, path, query, body }: Asked, key?: string) {
  const at = query ? `${path}?${new URLSearchParams(query)}` : path;
  const { status, body: bytes } = await client.send(method, at, body, key);
  return { status, text: bytes.toString() };
}

async function apiKey(permissions: readonly Permission[]): Promise<string> {
  return createApiKey(stores.dynamo, stores.keyTables, { name: 'k', permissions, by: 'test' });
}

/** A temporary key of the key for everything. */
async function temporaryKey(permissions: readonly Permission[]): Promise<string> {
  const body = JSON.stringify({ permissions });
  return JSON.parse((await ask({ method: 'POST', path: '/tokens', body })).text).token;
}

test(`requests over HTTP are allowed and refused by the rules (seed ${SEED})`, async () => {
  const draw = drawing(SEED);
  const wrong: string[] = [];
  for (let cell = 0; cell < CELLS; cell += CELLS_OF_KEY) {
    const permissions = draw(PERMISSIONS);
    const isTemporary = draw([false, true]);
    const make = isTemporary ? temporaryKey : apiKey;
    const token = await make(permissions as readonly Permission[]);
    for (let n = 0; n < CELLS_OF_KEY; n++) {
      const { operation, request } = draw(REQUESTS);
      const target = draw(resources);
      const asked = request(target);
      const isNever = isTemporary && operation === 'createToken';
      const expected = isNever ? 'forbidden' : decide(operation, permissions, target);
      const { status } = await ask(asked, token);
      // What an earlier cell has deleted is 404 for those who may see it, too.
      const isRight = {
        allowed: status !== 401 && status !== 403 && status < 500,
        forbidden: status === 403,
        hidden: status === 404,
      }[expected];
      if (isRight) continue;
      const cellText = `${asked.method} ${asked.path} ${JSON.stringify(asked.query)} ${asked.body}`;
      wrong.push(`${JSON.stringify(permissions)} ${cellText}: ${status}, must be ${expected}`);
    }
  }
  expect(wrong).toEqual([]);
});

test('nothing but a valid key is accepted over HTTP', async () => {
  const valid = await apiKey([{ buckets: ['*'], actions: ['read'] }]);
  const temporary = await temporaryKey([{ buckets: ['photos'], actions: ['read'] }]);
  const ticketOf = { method: 'SYNC', bucket: 'photos' };
  const minted = await ask({
    ...{ method: 'POST', path: '/signed-url', body: JSON.stringify(ticketOf) },
  });
  const ticket = new URL(JSON.parse(minted.text).url).searchParams.get('ticket') ?? '';
  const tokens = [
    ...['osk_x', 'x', ticket, 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhIn0.c2ln'],
    valid.replace(/.$/, (last) => (last === '0' ? '1' : '0')),
    `${temporary.slice(0, -4)}AAAA`,
    `${valid} ${valid}`,
  ];
  const draw = drawing(SEED);
  for (const token of tokens) {
    for (let n = 0; n < 5; n++) {
      const asked = draw(REQUESTS).request(draw(resources));
      expect([asked.path, (await ask(asked, token)).status]).toEqual([asked.path, 401]);
    }
  }
});
