/** Whom an access token names, which kinds of it are accepted, and whence the keys come. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createVerify, type IssuerSettings } from '../../../adapters/oidc/access-token';
import { newKeyPair, signed, startIssuer, type TestIssuer } from '../../adapters/oidc/issuer';
import { FakeLog } from '../../support/fakes/fake-log';

let issuer: TestIssuer;
beforeAll(async () => {
  issuer = await startIssuer();
});
afterAll(() => issuer.stop());

function useVerify(settings: Partial<IssuerSettings> = {}) {
  const log = new FakeLog();
  let now = 0;
  const clock = { now: () => now };
  const verify = createVerify({ ...issuer.settings, ...settings }, { clock, log });
  const verifyClaims = (claims: object, header = {}) =>
    verify(signed(issuer.pair, issuer.claims({ ...claims }), header));
  const at = (time: number) => {
    now = time;
  };
  return { log, verify, verifyClaims, at };
}

test.each<[object, string]>([
  [{}, 'alice'],
  [{ username: undefined, preferred_username: 'p', email: 'e', name: 'n' }, 'p'],
  [{ username: '', email: 'e', name: 'n' }, 'e'],
  [{ username: 7, name: 'n' }, 'n'],
  [{ username: ['alice'] }, 'sub-alice'],
  [{ username: 'x'.repeat(257) }, 'x'.repeat(256)],
])('an administrator with the claims %j has the name %s', async (claims, name) => {
  const found = await useVerify().verifyClaims(claims);
  expect(found).toMatchObject({ id: 'sub-alice', name });
});

test.each(['at+jwt', 'AT+JWT', 'application/at+jwt'])(
  'a token of the type %s is an access token',
  async (typ) => {
    const { verifyClaims } = useVerify();
    const found = await verifyClaims({ token_use: undefined }, { typ });
    expect(found.id).toBe('sub-alice');
  },
);

test.each<[object, object, string]>([
  [{ token_use: undefined }, { typ: 'xat+jwt' }, 'Refused: token kind'],
  [{ token_use: undefined }, { typ: 'at+jwtx' }, 'Refused: token kind'],
  [{ token_use: undefined }, { typ: undefined }, 'Refused: token kind'],
  [{ client_id: 'other' }, {}, 'Refused: client'],
  [{ sub: '' }, {}, 'Refused: no subject'],
])('a token with %j and %j is refused, and the reason logged', async (claims, header, reason) => {
  const { verifyClaims, log } = useVerify();
  await expect(verifyClaims(claims, header)).rejects.toMatchObject({ code: 'unauthorized' });
  expect(log.lines).toEqual([{ level: 'info', event: 'token_refused', fields: { reason } }]);
});

test('a person who is no administrator gets 403 with the required claim', async () => {
  const refused = useVerify({ claim: 'role', value: 'admin' }).verifyClaims({ role: 'user' });
  await expect(refused).rejects.toMatchObject({
    code: 'forbidden',
    message: expect.stringMatching(/role.*"admin"/),
  });
});

describe('the keys of the issuer', () => {
  test('are below its address, with a slash at the end or without', async () => {
    const before = issuer.fetches.length;
    const slashed = `${issuer.url}/`;
    await useVerify({ issuer: slashed }).verifyClaims({ iss: slashed });
    expect(issuer.fetches.slice(before)).toEqual(['/pool/.well-known/jwks.json']);
  });

  test('are used for an hour', async () => {
    const { verify, at } = useVerify();
    const token = signed(issuer.pair, issuer.claims());
    await verify(token);
    const { keySet } = issuer;
    issuer.keySet = () => ({ status: 200, body: JSON.stringify({ keys: [] }) });
    try {
      at(3_600_000);
      expect((await verify(token)).name).toBe('alice');
      at(3_600_001);
      await expect(verify(token)).rejects.toMatchObject({ code: 'unauthorized' });
    } finally {
      issuer.keySet = keySet;
    }
  });

  test('are not those of a response that says it failed', async () => {
    const { keySet } = issuer;
    issuer.keySet = () => ({ ...keySet(), status: 500 });
    try {
      const failed = useVerify().verifyClaims({});
      await expect(failed).rejects.toMatchObject({ code: 'unavailable' });
    } finally {
      issuer.keySet = keySet;
    }
  });

  test('are not those to which their address redirects', async () => {
    const Location = `${issuer.url}/.well-known/jwks.json`;
    const server = createServer((_, response) => response.writeHead(307, { Location }).end());
    await once(server.listen(0, '127.0.0.1'), 'listening');
    try {
      const { port } = server.address() as AddressInfo;
      const redirected = useVerify({ jwksUri: `http://127.0.0.1:${port}/` }).verifyClaims({});
      await expect(redirected).rejects.toMatchObject({ code: 'unavailable' });
    } finally {
      server.close();
    }
  });

  test('have signed the token', async () => {
    const token = signed(newKeyPair('key-1'), issuer.claims());
    await expect(useVerify().verify(token)).rejects.toMatchObject({ code: 'unauthorized' });
  });
});
