import type { APIGatewayTokenAuthorizerEvent } from 'aws-lambda';
import { newApiKey } from '../../../core/access/api-key';
import { createAuthorizer } from '../../../lambdas/authorizer/app';
import { FAKE_EPOCH } from '../../support/fakes/clock';
import { createFakes } from '../../support/fakes/fakes';
import { EVERYTHING } from '../../support/requests';

const METHOD_ARN =
  'arn:aws:execute-api:us-east-1:000000000000:abc123/api/GET/api/v2/storage/buckets';

function setUp(extra: object = {}) {
  const fakes = createFakes();
  const { id, text, secretHash } = newApiKey();
  const createdAt = fakes.clock.iso();
  fakes.state.apiKeys.set(id, {
    id,
    name: 'k',
    secretHash,
    permissions: EVERYTHING,
    createdAt,
    ...extra,
  });
  const authorize = createAuthorizer(fakes);
  const ask = (authorizationToken: string) =>
    authorize({
      type: 'TOKEN',
      authorizationToken,
      methodArn: METHOD_ARN,
    } satisfies APIGatewayTokenAuthorizerEvent);
  return { fakes, id, text, ask };
}

test('a valid key is allowed the whole stage, with its permissions as JSON in the context', async () => {
  const { id, text, ask } = setUp({ expiresAt: '2027-01-01T00:00:00.000Z' });
  const result = await ask(`Bearer ${text}`);
  expect(result).toEqual({
    principalId: id,
    policyDocument: {
      Version: '2012-10-17',
      Statement: [
        {
          Effect: 'Allow',
          Action: 'execute-api:Invoke',
          Resource: 'arn:aws:execute-api:us-east-1:000000000000:abc123/api/*',
        },
      ],
    },
    context: {
      keyId: id,
      permissions: JSON.stringify(EVERYTHING),
      tier: 'default',
      generation: '0',
      readAt: String(FAKE_EPOCH),
      expiresAt: '2027-01-01T00:00:00.000Z',
    },
  });
});

test.each([
  ['a revoked key', { revokedAt: '2026-01-01T00:00:00.000Z' }],
  ['an expired key', { expiresAt: '2026-01-01T00:00:00.000Z' }],
  ['a key with another secret', { secretHash: 'ab'.repeat(32) }],
])('%s throws Unauthorized', async (_name, extra) => {
  const { text, ask } = setUp(extra);
  await expect(ask(`Bearer ${text}`)).rejects.toThrow(/^Unauthorized$/);
});

test('an unknown id, a mistyped key, another scheme and an empty token throw Unauthorized', async () => {
  const { text, ask } = setUp();
  for (const token of [
    `Bearer ${newApiKey().text}`,
    `Bearer ${text.slice(0, -1)}`,
    `Basic ${text}`,
    text,
    '',
  ]) {
    await expect(ask(token)).rejects.toThrow(/^Unauthorized$/);
  }
});

test('the log contains neither the secret nor its hash', async () => {
  const { fakes, id, text, ask } = setUp({ revokedAt: '2026-01-01T00:00:00.000Z' });
  await expect(ask(`Bearer ${text}`)).rejects.toThrow();
  expect(fakes.log.lines).toEqual([{ level: 'info', event: 'key_refused', fields: { keyId: id } }]);
  expect(JSON.stringify(fakes.log.lines)).not.toContain(text.split('_')[2]);
});

test('a token that is no API key, and a mistyped one, are not logged', async () => {
  const { fakes, text, ask } = setUp();
  const mistyped = `${text.slice(0, -1)}${text.endsWith('0') ? '1' : '0'}`;
  for (const token of ['Bearer x', `Bearer ${mistyped}`, '']) {
    await expect(ask(token)).rejects.toThrow(/^Unauthorized$/);
  }
  expect(fakes.log.lines).toEqual([]);
});

test('a failed read of the key throws its error, not Unauthorized', async () => {
  const { fakes, text } = setUp();
  const apiKeys = { get: () => Promise.reject(new Error('throttled')) };
  const authorize = createAuthorizer({ ...fakes, apiKeys });
  const event = {
    type: 'TOKEN' as const,
    authorizationToken: `Bearer ${text}`,
    methodArn: METHOD_ARN,
  };
  await expect(authorize(event)).rejects.toThrow('throttled');
});
