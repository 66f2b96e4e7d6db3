import { createVerify } from '../../adapters/oidc/access-token';
import { claimsOf, codeOf, issuer, tokensOf } from '../../emulator/test/oidc/issuer';
import { FakeLog } from '../support/fakes/fake-log';

test('the administration accepts an access token of the emulator, and refuses its ID token', async () => {
  const tokens = await tokensOf({ code: await codeOf() });
  const access = claimsOf(tokens.access_token);
  const verify = createVerify(
    { issuer: issuer.endpoint, clientId: 'dashboard', claim: 'cognito:groups', value: 'admins' },
    { clock: Date, log: new FakeLog() },
  );
  expect(await verify(tokens.access_token)).toEqual({
    id: access.sub,
    name: 'dev@localhost',
    until: Number(access.exp) * 1000,
  });
  await expect(verify(tokens.id_token)).rejects.toMatchObject({ code: 'unauthorized' });
});
