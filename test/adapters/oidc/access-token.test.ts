import { createVerify, type IssuerSettings } from '../../../adapters/oidc/access-token';
import { FakeLog } from '../../support/fakes/fake-log';
import {
  CLIENT,
  hmacSigned,
  jwk,
  newKeyPair,
  signed,
  startIssuer,
  type TestIssuer,
  unsigned,
} from './issuer';

let issuer: TestIssuer;
const other = newKeyPair('key-1');
const second = newKeyPair('key-2');

beforeAll(async () => {
  issuer = await startIssuer();
});
afterAll(() => issuer.stop());

/**
 * Uses the real time, because the library has no other. `later` advances the clock of the function
 * by milliseconds.
 */
function useVerify(settings: Partial<IssuerSettings> = {}) {
  const log = new FakeLog();
  let ahead = 0;
  const clock = { now: () => Date.now() + ahead };
  const verify = createVerify({ ...issuer.settings, ...settings }, { clock, log });
  return {
    log,
    verify,
    later: (milliseconds: number) => {
      ahead += milliseconds;
    },
  };
}

const seconds = () => Math.floor(Date.now() / 1000);
const good = () => signed(issuer.pair, issuer.claims());

test('verify accepts an access token of the issuer for the client and the group', async () => {
  const claims = issuer.claims();
  expect(await useVerify().verify(signed(issuer.pair, claims))).toEqual({
    id: 'sub-alice',
    name: 'alice',
    until: Number(claims.exp) * 1000,
  });
});

test('verify fetches the keys of the issuer once', async () => {
  const { verify } = useVerify();
  const before = issuer.fetches.length;
  await verify(good());
  await verify(good());
  expect(issuer.fetches.slice(before)).toEqual(['/pool/.well-known/jwks.json']);
});

const publicKeys = (): [string, string][] => [
  ['PEM', issuer.pair.publicKey.export({ format: 'pem', type: 'spki' }).toString()],
  [
    'PEM without its last line break',
    issuer.pair.publicKey.export({ format: 'pem', type: 'spki' }).toString().trim(),
  ],
  ['PKCS 1', issuer.pair.publicKey.export({ format: 'pem', type: 'pkcs1' }).toString()],
  ['JWK', JSON.stringify(jwk(issuer.pair))],
];

const ATTACKS: readonly (readonly [string, () => string | undefined])[] = [
  ['no token', () => undefined],
  ['an empty token', () => ''],
  ['a text that is no token', () => 'osk_aaaaaaaaaaaa_b_c'],
  ['a token with alg none', () => unsigned(issuer.claims(), { kid: 'key-1' })],
  ['a token with alg None', () => unsigned(issuer.claims(), { alg: 'None', kid: 'key-1' })],
  [
    'a token with alg none and the signature of a valid one',
    () => {
      const [, , signature] = good().split('.');
      return `${unsigned(issuer.claims(), { kid: 'key-1' })}${signature}`;
    },
  ],
  ['a token without alg', () => signed(issuer.pair, issuer.claims(), { alg: undefined })],
  [
    'a token with alg RS512 and an RS256 key',
    () => signed(issuer.pair, issuer.claims(), { alg: 'RS512' }),
  ],
  ['a token without signature', () => good().replace(/[^.]+$/, '')],
  [
    'a token with the signature of another one',
    () => {
      const [, , signature] = good().split('.');
      const [head, payload] = signed(issuer.pair, issuer.claims({ sub: 'mallory' })).split('.');
      return `${head}.${payload}.${signature}`;
    },
  ],
  ['a token of another key with the same kid', () => signed(other, issuer.claims())],
  ['a token with an unknown kid', () => signed(second, issuer.claims())],
  ['a token without kid', () => signed(issuer.pair, issuer.claims(), { kid: undefined })],
  [
    'a token with a path as kid',
    () => signed(other, issuer.claims(), { kid: '../../../dev/null' }),
  ],
  [
    'a token with its own key in the header',
    () => signed(second, issuer.claims(), { jwk: jwk(second), kid: undefined }),
  ],
  [
    'a token with the address of its keys in the header',
    () =>
      signed(second, issuer.claims(), {
        jku: 'http://127.0.0.1:1/keys',
        x5u: 'http://127.0.0.1:1/',
      }),
  ],
  [
    'a token with a critical header parameter',
    () => signed(issuer.pair, issuer.claims(), { crit: ['b64'], b64: true }),
  ],
  [
    'a token with an empty list of critical header parameters',
    () => signed(issuer.pair, issuer.claims(), { crit: [] }),
  ],
  [
    'a token of another issuer',
    () => signed(issuer.pair, issuer.claims({ iss: 'https://evil.example' })),
  ],
  [
    'a token of an issuer whose URL begins with that of the configured one',
    () => signed(issuer.pair, issuer.claims({ iss: `${issuer.url}/x` })),
  ],
  ['a token without issuer', () => signed(issuer.pair, issuer.claims({ iss: undefined }))],
  [
    'a token for another client',
    () => signed(issuer.pair, issuer.claims({ client_id: 'client-2' })),
  ],
  ['a token without client', () => signed(issuer.pair, issuer.claims({ client_id: undefined }))],
  [
    'a token for another client that names the configured one in other claims',
    () => signed(issuer.pair, issuer.claims({ client_id: 'client-2', azp: CLIENT, aud: CLIENT })),
  ],
  [
    'an ID token',
    () =>
      signed(issuer.pair, issuer.claims({ token_use: 'id', client_id: undefined, aud: CLIENT }), {
        typ: 'JWT',
      }),
  ],
  ['an ID token with a client_id', () => signed(issuer.pair, issuer.claims({ token_use: 'id' }))],
  [
    'a token with neither token_use nor the type at+jwt',
    () => signed(issuer.pair, issuer.claims({ token_use: undefined }), { typ: 'JWT' }),
  ],
  ['an expired token', () => signed(issuer.pair, issuer.claims({ exp: seconds() - 1 }))],
  ['a token without expiry', () => signed(issuer.pair, issuer.claims({ exp: undefined }))],
  [
    'a token whose expiry is a string',
    () => signed(issuer.pair, issuer.claims({ exp: '9999999999' })),
  ],
  [
    'a token that is not valid yet',
    () => signed(issuer.pair, issuer.claims({ nbf: seconds() + 60 })),
  ],
  ['a token without subject', () => signed(issuer.pair, issuer.claims({ sub: undefined }))],
  ['a token whose subject is no string', () => signed(issuer.pair, issuer.claims({ sub: 7 }))],
  [
    'a token whose payload is a list',
    () => signed(issuer.pair, [] as unknown as Record<string, unknown>),
  ],
];

test.each(ATTACKS)('verify refuses %s, with the message of every refusal', async (_name, token) => {
  const { verify, log } = useVerify();
  const refused = token();
  await expect(verify(refused)).rejects.toMatchObject({
    code: 'unauthorized',
    message: 'sign in, and send the access token as Authorization: Bearer <token>',
  });
  if (refused) expect(JSON.stringify(log.lines)).not.toContain(refused);
});

test('verify refuses HS256 with the public key as secret, in every encoding of the key', async () => {
  for (const [, secret] of publicKeys()) {
    const token = hmacSigned(secret, issuer.claims(), { kid: 'key-1', typ: 'at+jwt' });
    await expect(useVerify().verify(token)).rejects.toMatchObject({ code: 'unauthorized' });
  }
});

test.each<[string, unknown]>([
  ['no group', undefined],
  ['another group', ['stowage-users']],
  ['a group whose name contains the right one', ['not-stowage-admins']],
  ['the group as an object', { 'stowage-admins': true }],
  ['true as the group', true],
])('verify throws forbidden for a valid token with %s', async (_name, groups) => {
  const token = signed(issuer.pair, issuer.claims({ 'cognito:groups': groups }));
  await expect(useVerify().verify(token)).rejects.toMatchObject({ code: 'forbidden' });
});

test('verify does not take an inherited property of an object for the required claim', async () => {
  const { verify } = useVerify({ claim: 'constructor', value: 'Object' });
  await expect(verify(good())).rejects.toMatchObject({ code: 'forbidden' });
});

describe('a token of an issuer other than Cognito', () => {
  const settings = { audience: 'https://storage.example', claim: 'role', value: 'admin' };
  const claims = (overrides = {}) =>
    issuer.claims({
      token_use: undefined,
      client_id: undefined,
      azp: CLIENT,
      aud: ['https://storage.example', 'https://other.example'],
      role: 'admin',
      ...overrides,
    });

  test('is accepted with the configured audience and claim', async () => {
    const token = signed(issuer.pair, claims(), { typ: 'JWT' });
    expect(await useVerify(settings).verify(token)).toMatchObject({ id: 'sub-alice' });
  });

  test.each<[string, object]>([
    ['a wrong audience', { aud: 'https://other.example' }],
    ['no audience', { aud: undefined }],
    ['the client as audience, as ID tokens have', { aud: CLIENT }],
    ['another client', { azp: 'client-2' }],
  ])('is refused with %s', async (_name, overrides) => {
    const token = signed(issuer.pair, claims(overrides), { typ: 'JWT' });
    await expect(useVerify(settings).verify(token)).rejects.toMatchObject({ code: 'unauthorized' });
  });
});

describe('the keys of the issuer', () => {
  const serve = issuerKeys();
  test('are fetched again for a new key id', async () => {
    const { verify } = useVerify();
    await verify(good());
    serve([issuer.pair, second]);
    await expect(verify(signed(second, issuer.claims()))).resolves.toMatchObject({ name: 'alice' });
  });

  test('are fetched again once, not for every unknown key id', async () => {
    const { verify } = useVerify();
    await verify(good());
    const before = issuer.fetches.length;
    for (let n = 0; n < 20; n++) {
      const token = signed(second, issuer.claims(), { kid: `made-up-${n}` });
      await expect(verify(token)).rejects.toMatchObject({ code: 'unauthorized' });
    }
    expect(issuer.fetches.length - before).toBe(1);
    await expect(verify(good())).resolves.toMatchObject({ name: 'alice' });
  });

  test('are discarded after an hour, so that a withdrawn key is refused', async () => {
    const { verify, later } = useVerify();
    await verify(good());
    serve([second]);
    later(3_600_001);
    await expect(verify(good())).rejects.toMatchObject({ code: 'unauthorized' });
  });

  test.each<[string, () => { status: number; body: string }]>([
    ['cannot be fetched', () => ({ status: 500, body: '' })],
    ['are no JSON', () => ({ status: 200, body: '<html>' })],
    ['are no keys', () => ({ status: 200, body: '{"keys":"none"}' })],
  ])('that %s cause 503, because the token may be valid', async (_name, keySet) => {
    issuer.keySet = keySet;
    await expect(useVerify().verify(good())).rejects.toMatchObject({ code: 'unavailable' });
  });

  test('are fetched without TLS only from this machine', async () => {
    for (const jwksUri of [
      'http://storage.example/keys',
      'http://127.0.0.1.evil.example/keys',
      'http://localhost.evil.example/keys',
      'file:///etc/passwd',
      'data:application/json,{"keys":[]}',
    ]) {
      const { verify } = useVerify({ jwksUri });
      await expect(verify(good())).rejects.toMatchObject({
        code: 'unavailable',
        cause: { message: expect.stringContaining('must begin with https:') },
      });
    }
  });

  function issuerKeys() {
    let original: TestIssuer['keySet'];
    beforeEach(() => {
      original = issuer.keySet;
    });
    afterEach(() => {
      issuer.keySet = original;
    });
    return (pairs: Parameters<typeof jwk>[0][]) => {
      issuer.keySet = () => ({ status: 200, body: JSON.stringify({ keys: pairs.map(jwk) }) });
    };
  }
});
