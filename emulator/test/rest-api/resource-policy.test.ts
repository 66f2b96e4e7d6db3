/** The resource policy of a REST API, which API Gateway evaluates before the authorizer. */
import { readRestApi } from '../../src/services/rest-api/model/model';
import { serve } from './service';
import { changed, gatewayResponse, sourceArn, stackOf } from './stack';
import { send } from './wire';

const statement = (Effect: string, more: object = {}) => ({
  Effect,
  Principal: { AWS: '*' },
  Action: 'execute-api:Invoke',
  Resource: 'execute-api:/*',
  ...more,
});
const ALLOW = statement('Allow');
const Condition = { StringNotEquals: { 'aws:Referer': ['now', 'next'] } };
const DENY = statement('Deny', { Condition });

const withPolicy = (...Statement: object[]) =>
  changed('Api', { Policy: { Version: '2012-10-17', Statement } });

const start = (...statements: object[]) =>
  serve(
    {
      api: () => ({ statusCode: 200, body: 'ok' }),
      authorizer: () => ({
        principalId: 'p',
        policyDocument: {
          Statement: [{ Effect: 'Allow', Action: 'execute-api:Invoke', Resource: sourceArn('*') }],
        },
      }),
    },
    { resources: withPolicy(...statements) },
  );

test.each([
  ['no Referer', []],
  ['another Referer', ['Referer: other']],
  ['a Referer that begins with an accepted one', ['Referer: nowhere']],
  ['an accepted Referer in other letters', ['Referer: NOW']],
])('a Deny refuses %s before the authorizer and the function run', async (_name, lines) => {
  const { port, invoked } = await start(ALLOW, DENY);
  for (const target of ['GET /open/a', 'GET /closed/a']) {
    const response = await send(port, target, ['Authorization: Bearer x', ...lines]);
    expect(response.status).toBe(403);
    expect(response.header('x-amzn-errortype')).toBe('AccessDeniedException');
    expect(response.text).toContain('with an explicit deny');
  }
  expect([invoked.calls('api'), invoked.calls('authorizer')]).toEqual([[], []]);
});

test.each(['now', 'next'])('a Deny lets a request with the Referer %s pass', async (referer) => {
  const { port } = await start(ALLOW, DENY);
  for (const target of ['GET /open/a', 'GET /closed/a']) {
    const lines = ['Authorization: Bearer x', `Referer: ${referer}`];
    expect((await send(port, target, lines)).status).toBe(200);
  }
});

test('a policy that does not allow a request leaves it to the authorizer, and refuses it without one', async () => {
  const other = statement('Allow', { Resource: 'execute-api:/v1/GET/other' });
  const { port, invoked } = await start(other);
  expect((await send(port, 'GET /open/a')).status).toBe(403);
  expect((await send(port, 'GET /closed/a', ['Authorization: Bearer x'])).status).toBe(200);
  expect(invoked.calls('authorizer')).toHaveLength(1);
});

test('the gateway response ACCESS_DENIED changes the refusal', async () => {
  const resources = {
    ...withPolicy(ALLOW, DENY),
    Denied: gatewayResponse('ACCESS_DENIED', {
      ResponseTemplates: { 'application/json': '{"code":"forbidden"}' },
    }),
  };
  const { port } = await serve({ api: () => ({ statusCode: 200 }) }, { resources });
  const response = await send(port, 'GET /open/a');
  expect([response.status, response.text]).toEqual([403, '{"code":"forbidden"}']);
});

test('a policy with a key that the emulator cannot evaluate is refused at start', () => {
  const network = { IpAddress: { 'aws:SourceIp': '192.0.2.0/24' } };
  const resources = withPolicy(ALLOW, statement('Deny', { Condition: network }));
  expect(() => readRestApi(stackOf(resources))).toThrow(/Api .*Policy.*IpAddress/);
});
