/** Handshakes that come through the distribution, and those that do not. */
import { fromEdge } from '../../../lambdas/channel/from-edge';

const REFUSAL = { 'Content-Type': 'application/json' };
const SECRETS = ['current', 'next'];

function world() {
  const passed: string[] = [];
  const handler = fromEdge(SECRETS, async ({ requestContext }) => {
    passed.push(requestContext.eventType);
    return { statusCode: 200, body: '' };
  });
  const send = (eventType: 'CONNECT' | 'MESSAGE' | 'DISCONNECT', headers?: object) =>
    handler({
      requestContext: { connectionId: 'c1', requestId: 'request-1', eventType },
      ...(headers && { headers: { ...headers } }),
    });
  return { passed, send };
}

test.each([
  ['no header', undefined],
  ['no Referer', { Host: 'x' }],
  ['an empty Referer', { Referer: '' }],
  ['another Referer', { Referer: 'https://app.example/' }],
  ['a secret in another header', { Origin: 'current', Host: 'x' }],
  ['both secrets in one Referer', { Referer: 'current,next' }],
])('a handshake with %s is refused before anything is looked up', async (_name, headers) => {
  const { passed, send } = world();
  const response = await send('CONNECT', headers);
  expect(response).toMatchObject({ statusCode: 403, headers: REFUSAL });
  expect(JSON.parse(response.body).error).toEqual({
    code: 'forbidden',
    message: expect.stringContaining('base URL'),
    request_id: 'request-1',
  });
  expect(passed).toEqual([]);
});

test.each([
  ['the current secret', { Referer: 'current' }],
  ['the next secret, during a rotation', { referer: 'next' }],
  ['the current secret among other headers', { Host: 'x', Referer: 'current', Origin: 'y' }],
])('a handshake with %s passes', async (_name, headers) => {
  const { passed, send } = world();
  expect(await send('CONNECT', headers)).toMatchObject({ statusCode: 200 });
  expect(passed).toEqual(['CONNECT']);
});

test('messages and disconnections pass, because they have no headers', async () => {
  const { passed, send } = world();
  await send('MESSAGE');
  await send('DISCONNECT');
  expect(passed).toEqual(['MESSAGE', 'DISCONNECT']);
});

test('every handshake passes in a stack without an edge', async () => {
  const handler = fromEdge(undefined, async () => ({ statusCode: 200, body: '' }));
  const requestContext = { connectionId: 'c1', requestId: 'r', eventType: 'CONNECT' } as const;
  expect(await handler({ requestContext })).toMatchObject({ statusCode: 200 });
});
