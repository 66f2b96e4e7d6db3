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
  const { fakes, text, ask } = setUp(extra);
  await expect(ask(`Bearer ${text}`)).rejects.toThrow(/^Unauthorized$/);
  expect(fakes.log.lines).toEqual([]);
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

test('a failed read of the key throws its error, not Unauthorized', async () => {
  const { fakes, text } = setUp();
  const error = new Error('throttled');
  const apiKeys = { get: () => Promise.reject(error) };
  const authorize = createAuthorizer({ ...fakes, apiKeys });
  const event = {
    type: 'TOKEN' as const,
    authorizationToken: `Bearer ${text}`,
    methodArn: METHOD_ARN,
  };
  await expect(authorize(event)).rejects.toThrow('throttled');
  // Nothing but this shows in the log.
  expect(fakes.log.lines).toEqual([
    { level: 'fatal', event: 'authorizer_failed', fields: { error } },
  ]);
});
