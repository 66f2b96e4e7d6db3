/**
 * Who may follow what on the channel, generated: handshakes and messages by the callers of the
 * matrix, compared with the rules of GET /sync; and what is left of it when the key is narrowed.
 */
import { createChannel } from '../../../lambdas/channel/app';
import { ALL, PERMISSIONS } from './callers';
import { bearer, type Caller, invalidCredentials, KINDS } from './credentials';
import { decide, type Granted } from './rules';
import { type AuthorizedService, openService } from './service';
import { makeResources, TARGETS } from './world';

let service: AuthorizedService;
let channel: ReturnType<typeof createChannel>;
let root: string;
let opened = 0;

beforeAll(async () => {
  service = openService();
  channel = createChannel({ ...service.deps, allowedOrigins: [] });
  root = service.addKey(ALL).text;
  await makeResources((asked) => service.ask(bearer(root), asked));
});

type Query = Readonly<Record<string, string>>;

/** The status of a handshake; with 200 what one says on the channel, and what one hears. */
async function connect(authorization: string | undefined, query: Query = {}) {
  opened += 1;
  const connectionId = `c${opened}`;
  const requestContext = { connectionId, requestId: 'request-1' };
  const { statusCode: status } = await channel({
    requestContext: { ...requestContext, eventType: 'CONNECT' },
    headers: { ...(authorization !== undefined && { Authorization: authorization }) },
    multiValueQueryStringParameters: Object.fromEntries(
      Object.entries(query).map(([name, value]) => [name, [value]]),
    ),
  });
  const { gateway } = service.deps;
  if (status === 200) gateway.open(connectionId);
  const say = async (message: object) => {
    const body = JSON.stringify(message);
    const before = gateway.messages(connectionId).length;
    await channel({ requestContext: { ...requestContext, eventType: 'MESSAGE' }, body });
    const [first = '{}'] = gateway.messages(connectionId).slice(before);
    return JSON.parse(first);
  };
  return { status, say };
}

const authorizationOf = ({ credential }: Caller) =>
  'alias' in credential ? undefined : credential.authorization;

const PLACES = TARGETS.map(({ bucket, prefix }) => ({ bucket, prefix }));

const may = (who: readonly Granted[], place: (typeof PLACES)[number]) =>
  decide('readChanges', who, { ...place, key: '' }) === 'allowed';

/** Principals have no key, so they open no channel. */
const KINDS_WITH_KEYS = Object.entries(KINDS).filter(([name]) => !name.startsWith('principals'));

test('every action of a message is in the matrix', async () => {
  const { say } = await connect(`Bearer ${root}`);
  const { error } = await say({ action: 'no such action' });
  expect(error.message).toBe('action: must be subscribe, unsubscribe or ping');
});

test.each(KINDS_WITH_KEYS)(
  '%s follow what the rules say, and nothing else',
  async (_name, kind) => {
    const wrong: string[] = [];
    for (const caller of await kind.callers(service)) {
      const authorization = authorizationOf(caller);
      const { status, say } = await connect(authorization);
      if (status !== 200) wrong.push(`a handshake is ${status}`);
      for (const place of PLACES) {
        const isAllowed = may(caller.permissions, place);
        const handshake = await connect(authorization, place);
        if ((handshake.status === 403) === isAllowed) {
          wrong.push(`${JSON.stringify([caller.permissions, place])}: ${handshake.status}`);
        }
        const { type, error } = await say({ action: 'subscribe', ...place });
        const found = error?.code ?? type;
        const isThere = place.bucket !== 'missing';
        const expected = isAllowed ? (isThere ? 'subscribed' : 'not_found') : 'forbidden';
        if (found !== expected) {
          wrong.push(`${JSON.stringify([caller.permissions, place])}: ${found}`);
        }
      }
      if ((await say({ action: 'ping' })).type !== 'pong') wrong.push('a ping has no pong');
    }
    expect(wrong.slice(0, 20)).toEqual([]);
  },
);

test('a ticket follows its bucket and prefix, as long as its key may, and nothing else', async () => {
  const wrong: string[] = [];
  for (const ofTicket of PLACES) {
    for (const permissions of [ALL, ...PERMISSIONS.filter((_, index) => index % 5 === 0)]) {
      const { id, text } = service.addKey(ALL);
      const body = JSON.stringify({ method: 'SYNC', ...ofTicket });
      const asked = { method: 'POST', path: '/signed-url', body };
      const made = JSON.parse((await service.ask(bearer(text), asked)).text);
      const ticket = new URL(made.url).searchParams.get('ticket') ?? '';
      await service.changeKeys([id], () => ({ permissions }));
      const { status, say } = await connect(undefined, { ticket });
      if (status !== 200) wrong.push(`a handshake is ${status}`);
      if ((await connect(undefined, { ticket })).status !== 401) wrong.push('a ticket opens twice');
      for (const place of PLACES) {
        const isInside =
          place.bucket === ofTicket.bucket && place.prefix.startsWith(ofTicket.prefix);
        const isAllowed = isInside && may(permissions, place);
        const { error } = await say({ action: 'subscribe', ...place });
        if ((error?.code === 'forbidden') === isAllowed) {
          wrong.push(`${JSON.stringify([permissions, ofTicket, place])}: ${error?.code}`);
        }
      }
    }
  }
  expect(wrong.slice(0, 20)).toEqual([]);
});

test('a channel whose key no longer permits a subscription says goodbye to its next message', async () => {
  const place = { bucket: 'photos', prefix: 'in/' };
  const wrong: string[] = [];
  for (const permissions of PERMISSIONS) {
    for (const message of [{ action: 'ping', cursors: { photos: 0 } }, { action: 'subscribe' }]) {
      const { id, text } = service.addKey(ALL);
      const { say } = await connect(`Bearer ${text}`);
      await say({ action: 'subscribe', ...place, consumer: 'of-in-x' });
      await service.changeKeys([id], () => ({ permissions }));
      const ask = message.action === 'subscribe' ? { ...message, ...place } : message;
      const { type, code, error } = await say(ask);
      const found = String(code ?? error?.code ?? type);
      const refusal = message.action === 'subscribe' ? 'forbidden' : '4401';
      const expected = message.action === 'subscribe' ? 'subscribed' : 'pong';
      if (found !== (may(permissions, place) ? expected : refusal)) {
        wrong.push(`${JSON.stringify(permissions)} ${message.action}: ${found}`);
      }
    }
  }
  expect(wrong.slice(0, 20)).toEqual([]);
});

test('a key that no longer permits a subscription stores nothing for its consumer', async () => {
  const wrong: string[] = [];
  for (const permissions of PERMISSIONS) {
    const { id, text } = service.addKey(ALL);
    const { say } = await connect(`Bearer ${text}`);
    const [{ bucket, prefix } = { bucket: '', prefix: '' }] = PLACES;
    const { bucket_id: bucketId } = await say({ action: 'subscribe', bucket, prefix, consumer });
    const stored = async () =>
      (await service.deps.consumers.get({ bucketId, name: consumer }))?.cursor;
    await service.deps.consumers.put(
      { bucketId, name: consumer, prefix, cursor: 0, updatedAt: service.deps.clock.iso() },
      await stored(),
    );
    await service.changeKeys([id], () => ({ permissions }));
    await say({ action: 'unsubscribe', bucket, consumed: 1 });
    const expected = may(permissions, { bucket, prefix }) ? 1 : 0;
    if ((await stored()) !== expected) wrong.push(JSON.stringify(permissions));
  }
  expect(wrong.slice(0, 20)).toEqual([]);
});

/** The consumer that makeResources has made for `in/`. */
const consumer = 'of-in-x';

test('nobody without a valid key opens a channel', async () => {
  const credentials = await invalidCredentials(service);
  const before = service.deps.state.connections.size;
  for (const [name, credential] of Object.entries(credentials)) {
    if ('alias' in credential) continue;
    for (const query of [{}, ...PLACES]) {
      const { status } = await connect(credential.authorization, query);
      expect([name, status]).toEqual([name, 401]);
    }
  }
  for (const ticket of ['', 'x', 'a'.repeat(43), root]) {
    expect((await connect(undefined, { ticket })).status).toBe(401);
  }
  expect(service.deps.state.connections.size).toBe(before);
});
