/**
 * Failures that no engine can be made to have, with both implementations: each call must end in the
 * same way after as many attempts.
 */
import {
  cancelled,
  dynamoError,
  dynamoResponse,
  type ScriptedResponse,
  startScriptedServer,
} from '../../../support/scripted-server';
import { IMPLEMENTATIONS, outcomeOf } from './clients';

const ITEM = { id: { S: 'a' }, cursor: { N: '1' } };
const INTERNAL = dynamoError('InternalServerError', {}, 500);

async function outcomes(script: readonly ScriptedResponse[]) {
  const timeout = script.includes('silence') ? 300 : 10_000;
  const of = async (name: keyof typeof IMPLEMENTATIONS) => {
    const server = await startScriptedServer(script);
    try {
      const tables = IMPLEMENTATIONS[name](server.endpoint, { timeout });
      const write = { Put: { TableName: 't', Item: ITEM } };
      const outcome = await outcomeOf(tables.transactWriteItems({ TransactItems: [write] }));
      const tokens = server.received.map(({ body }) => JSON.parse(body).ClientRequestToken);
      return {
        outcome,
        attempts: tokens.length,
        tokens: new Set(tokens.filter(Boolean)).size,
        requests: server.received.map(({ method, path, body, headers }) => ({
          method,
          path,
          body: { ...JSON.parse(body), ClientRequestToken: '' },
          target: headers['x-amz-target'],
          type: headers['content-type'],
        })),
      };
    } finally {
      await server.stop();
    }
  };
  const [http, sdk] = await Promise.all([of('http'), of('sdk')]);
  return { http, sdk };
}

const failed = (Item?: object) => ({ Code: 'ConditionalCheckFailed', Message: 'm', Item });
const withId = (response: ScriptedResponse): ScriptedResponse =>
  typeof response === 'string'
    ? response
    : { ...response, headers: { ...response.headers, 'x-amzn-requestid': 'ID' } };

test.each<[string, readonly ScriptedResponse[], number]>([
  ['success', [dynamoResponse({ ConsumedCapacity: [] })], 1],
  ['a failed condition', [dynamoError('ConditionalCheckFailedException', { Item: ITEM })], 1],
  ['a failed condition without item', [dynamoError('ConditionalCheckFailedException')], 1],
  ['mixed reasons', [cancelled('None', failed(ITEM), failed(), 'TransactionConflict')], 1],
  ['a conflict', [dynamoError('TransactionConflictException')], 1],
  ['a wrong request', [dynamoError('ValidationException')], 1],
  ['no such table', [dynamoError('ResourceNotFoundException')], 1],
  ['a missing grant', [dynamoError('AccessDeniedException')], 1],
  ['another change with the token', [dynamoError('IdempotentParameterMismatchException')], 1],
  ['a name that the SDK does not know', [dynamoError('NewException')], 1],
  ['an attempt in progress', [dynamoError('TransactionInProgressException')], 3],
  ['throttling', [dynamoError('ThrottlingException')], 3],
  [
    'an expired signature',
    [dynamoError('InvalidSignatureException', { message: 'Signature expired: 1 is now earlier' })],
    3,
  ],
  ['too much capacity used', [dynamoError('ProvisionedThroughputExceededException')], 3],
  ['status 500 twice', [INTERNAL, INTERNAL, dynamoResponse()], 3],
  ['status 500 for good', [INTERNAL], 3],
  ['status 503', [dynamoError('ServiceUnavailable', {}, 503)], 3],
  ['a connection that breaks once', ['reset', dynamoResponse()], 2],
  ['no response in time', ['silence'], 3],
])(
  '%s has the same outcome with both implementations',
  async (_, script, attempts) => {
    const { http, sdk } = await outcomes(script.map(withId));

    expect(http).toEqual(sdk);
    expect(http).toMatchObject({ attempts, tokens: 1 });
  },
  20_000,
);

// Only the attempts are compared: to the SDK, the errors of Node.js are none in Jest's realm.
test('a connection that breaks is tried three times with both implementations', async () => {
  const { http, sdk } = await outcomes(['reset']);

  expect(http.outcome).toMatchObject({ name: 'TimeoutError', isRetryable: true });
  expect(sdk.outcome).toMatchObject({ httpStatusCode: undefined });
  expect([http.attempts, http.tokens, http.requests]).toEqual([3, 1, sdk.requests]);
});

test.each(['<html>', 'null', '"text"', '5', '[]', '{"__type":5}', ''])(
  'an error of a gateway with the body %j is an unknown one with its status, and repeated',
  async (body) => {
    const { http } = await outcomes([{ status: 502, body }]);

    expect(http.outcome).toMatchObject({ name: 'UnknownError', httpStatusCode: 502 });
    expect(http.attempts).toBe(3);
  },
);

test('a response that is no JSON is an error with its status, and not repeated', async () => {
  const { http } = await outcomes([{ status: 200, body: '{"Item":' }]);

  expect(http.outcome).toMatchObject({ name: 'MalformedResponse', httpStatusCode: 200 });
  expect(http.attempts).toBe(1);
});
