/** Credentials of all kinds: with permissions, each as it comes to have them, and without. */
import { newApiKey } from '../../../core/access/api-key';
import type { Permission } from '../../../core/access/ports';
import { newTemporaryKey, TemporaryKeySecret } from '../../../core/access/temporary-keys';
import { ALL, PERMISSIONS } from './callers';
import type { Granted } from './rules';
import type { AuthorizedService, Credential } from './service';

export interface Caller {
  readonly credential: Credential;
  readonly permissions: readonly Granted[];
}

export interface Kind {
  readonly callers: (service: AuthorizedService) => Promise<readonly Caller[]>;
  /** One of them with all permissions. */
  readonly everything: (service: AuthorizedService) => Promise<Credential>;
  /** What needs another kind, whatever the permissions. */
  readonly never: readonly string[];
}

export const bearer = (token: string): Credential => ({ authorization: `Bearer ${token}` });

const aliasOf = (index: number) => `alias-${index}`;

/** Permissions of principals, by the alias of the function that they invoke. */
export const GRANTS: ReadonlyMap<string, readonly Granted[]> = new Map([
  ['everything', ALL],
  ...PERMISSIONS.map((each, index) => [aliasOf(index), each] as const),
]);

/** A third of the permissions, where it matters how the caller comes to have them. */
const part = (of: number) => PERMISSIONS.filter((_, index) => index % 3 === of);

type Key = ReturnType<AuthorizedService['addKey']>;

/** A temporary key as POST /tokens makes it. */
async function temporaryKey(
  { deps: { serviceState, clock } }: AuthorizedService,
  { record }: Key,
  permissions: readonly Granted[],
  seconds = 3600,
): Promise<string> {
  const secret = await new TemporaryKeySecret(serviceState, clock).toMake();
  const expiresAt = new Date(clock.now() + seconds * 1000).toISOString();
  const restriction = { permissions: permissions as readonly Permission[], expiresAt };
  return newTemporaryKey(secret, record, { generation: record.generation ?? 0 }, restriction);
}

/** Has the gateway and the functions remember the credentials as they are now. */
async function use({ ask }: AuthorizedService, tokens: readonly string[]): Promise<void> {
  for (const token of tokens) {
    const { status } = await ask(bearer(token), { method: 'GET', path: '/buckets' });
    if (status !== 200) throw new Error(`a valid key gets ${status}`);
  }
}

/** Keys for everything that are used, and narrowed then. `tokenOf`: what is used of the key. */
async function narrowedAfterUse(
  service: AuthorizedService,
  all: readonly (readonly Granted[])[],
  tokenOf: (key: Key) => string | Promise<string>,
): Promise<readonly Caller[]> {
  const keys = all.map((permissions) => ({ permissions, key: service.addKey(ALL) }));
  const tokens = await Promise.all(keys.map(({ key }) => tokenOf(key)));
  await use(service, tokens);
  const narrowed = new Map(keys.map(({ key, permissions }) => [key.id, permissions]));
  await service.changeKeys([...narrowed.keys()], (id) => ({ permissions: narrowed.get(id) }));
  return all.map((permissions, index) => {
    return { permissions, credential: bearer(tokens[index] ?? '') };
  });
}

const ofKey = async (service: AuthorizedService) => bearer(service.addKey(ALL).text);
const ofTemporaryKey = async (service: AuthorizedService) =>
  bearer(await temporaryKey(service, service.addKey(ALL), ALL));

export const KINDS: Readonly<Record<string, Kind>> = {
  'API keys': {
    callers: async ({ addKey }) =>
      PERMISSIONS.map((permissions) => {
        return { permissions, credential: bearer(addKey(permissions).text) };
      }),
    everything: ofKey,
    never: [],
  },
  'API keys that were narrowed after their use': {
    callers: (service) => narrowedAfterUse(service, part(0), ({ text }) => text),
    everything: ofKey,
    never: [],
  },
  'replaced secrets during the overlap': {
    callers: async ({ addKey, deps }) => {
      const previousUntil = new Date(deps.clock.now() + 86_400_000).toISOString();
      return part(1).map((permissions) => {
        const { id, text, record } = addKey(permissions);
        const { secretHash } = newApiKey(id);
        const previous = { previousSecretHash: record.secretHash, previousUntil };
        deps.state.apiKeys.set(id, { ...record, ...previous, secretHash, generation: 1 });
        return { permissions, credential: bearer(text) };
      });
    },
    everything: ofKey,
    never: [],
  },
  'temporary keys': {
    callers: (service) => {
      const maker = service.addKey(ALL);
      const make = async (permissions: readonly Granted[]) => {
        return { permissions, credential: bearer(await temporaryKey(service, maker, permissions)) };
      };
      return Promise.all(part(2).map(make));
    },
    everything: ofTemporaryKey,
    never: ['createToken'],
  },
  'temporary keys whose makers were narrowed after their use': {
    callers: (service) =>
      narrowedAfterUse(service, part(0), (maker) => temporaryKey(service, maker, ALL)),
    everything: ofTemporaryKey,
    never: ['createToken'],
  },
  'principals of the account': {
    callers: async () =>
      part(1).map((permissions) => {
        return { permissions, credential: { alias: aliasOf(PERMISSIONS.indexOf(permissions)) } };
      }),
    everything: async () => ({ alias: 'everything' }),
    // These end with an API key.
    never: ['createToken', 'createLink', 'listLinks', 'deleteLink'],
  },
};

/** No key, what only looks like one, and keys that are over, before and after their use. */
export async function invalidCredentials(
  service: AuthorizedService,
): Promise<Readonly<Record<string, Credential>>> {
  const { addKey, ask, deps } = service;
  const root = addKey(ALL);
  const past = new Date(deps.clock.now()).toISOString();
  const answers = async (path: string, body: object) => {
    const asked = { method: 'POST', path, body: JSON.stringify(body) };
    return JSON.parse((await ask(bearer(root.text), asked)).text);
  };
  const { url: ticket } = await answers('/signed-url', { method: 'SYNC', bucket: 'photos' });
  const { id, url: link } = await answers('/links', { bucket: 'photos', key: 'in/a' });
  const temporary = await temporaryKey(service, root, ALL);
  const [, ofLess = ''] = (await temporaryKey(service, root, part(0)[0] ?? [])).split('.');
  return {
    ...(await overAfterUse(service)),
    none: {},
    'an empty header': { authorization: '' },
    'no token': { authorization: 'Bearer ' },
    'another scheme': { authorization: `Basic ${root.text}` },
    'no scheme': { authorization: root.text },
    'two tokens': { authorization: `Bearer ${root.text} ${root.text}` },
    'a malformed key': bearer('osk_x'),
    'a wrong checksum': bearer(root.text.replace(/.$/, (last) => (last === '0' ? '1' : '0'))),
    'an unknown key': bearer(newApiKey().text),
    'another secret of a key': bearer(newApiKey(root.id).text),
    'a revoked key': bearer(addKey(ALL, { revokedAt: past }).text),
    'an expired key': bearer(addKey(ALL, { expiresAt: past }).text),
    'a temporary key with another signature': bearer(`${temporary.slice(0, -2)}AA`),
    'a temporary key that claims more than was signed': bearer(
      temporary.replace(/\..*$/, `.${ofLess}`),
    ),
    'a ticket of the channel': bearer(new URL(ticket).searchParams.get('ticket') ?? ''),
    'the secret of a link': bearer(new URL(link).searchParams.get('secret') ?? ''),
    'the id of a link': bearer(id),
    'the access token of an administrator': bearer('eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhIn0.c2ln'),
  };
}

/** Credentials that gateway and functions remember as valid. */
async function overAfterUse(service: AuthorizedService) {
  const { addKey, changeKeys, deps } = service;
  const at = (milliseconds: number) => new Date(deps.clock.now() + milliseconds).toISOString();
  const maker = addKey(ALL);
  const changes: Readonly<Record<string, (key: Key) => object>> = {
    'a revoked key, after its use': () => ({ revokedAt: at(0) }),
    'a replaced secret, after its use': ({ id }) => {
      return { secretHash: newApiKey(id).secretHash, generation: 1 };
    },
    'a key that is no longer stored, after its use': () => ({ revokedAt: at(0) }),
    'a temporary key of a revoked maker, after its use': () => ({ revokedAt: at(0) }),
  };
  const made = await Promise.all(
    Object.entries(changes).map(async ([name, change]) => {
      const key = addKey(ALL);
      const isTemporary = name.startsWith('a temporary');
      const token = isTemporary ? await temporaryKey(service, key, ALL) : key.text;
      return { name, key, token, fields: change(key) };
    }),
  );
  const ending = {
    'a key that expires, after its use': addKey(ALL, { expiresAt: at(1000) }).text,
    'a temporary key that ends, after its use': await temporaryKey(service, maker, ALL, 1),
  };
  await use(service, [...made.map(({ token }) => token), ...Object.values(ending)]);
  const fieldsOf = new Map(made.map(({ key, fields }) => [key.id, fields]));
  await changeKeys([...fieldsOf.keys()], (id) => fieldsOf.get(id) ?? {});
  for (const { name, key } of made) {
    if (name.includes('no longer stored')) deps.state.apiKeys.delete(key.id);
  }
  const tokens = [...made.map(({ name, token }) => [name, token]), ...Object.entries(ending)];
  return Object.fromEntries(tokens.map(([name, token = '']) => [name, bearer(token)]));
}
