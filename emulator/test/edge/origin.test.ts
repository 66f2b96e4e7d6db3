/** What the distribution adds for its origins, what it refuses by address, and the way past it. */
import { readEdge } from '../../src/services/edge/model';
import { type Resources, stackOf } from '../rest-api/stack';
import { exchange, send } from '../rest-api/wire';
import { serveBehindEdge } from './service';
import { behindEdge, CONFIG } from './stack';

const HOST = 'api123.execute-api.us-east-1.amazonaws.com';

const withHeader = (HeaderName: string) => ({
  config: {
    Origins: CONFIG.Origins.map((origin) => ({
      ...origin,
      OriginCustomHeaders: [{ HeaderName, HeaderValue: 'secret' }],
    })),
  },
});

const start = (resources: Resources, now?: () => number) => serveBehindEdge(resources, {}, now);

/** A request to the host of the API itself. */
const direct = (port: number, target: string) =>
  exchange(port, `GET ${target} HTTP/1.1\r\nHost: ${HOST}\r\nConnection: close\r\n\r\n`);

describe('the custom header of an origin', () => {
  test('reaches the API in place of that of the client', async () => {
    const { port, invoked } = await start(behindEdge(withHeader('Referer')));
    await send(port, 'GET /open/a', ['referer: https://evil.example/', 'REFERER: more', 'X-A: 1']);
    const { multiValueHeaders } = invoked.lastEvent();
    const names = Object.keys(multiValueHeaders).filter((name) => /^referer$/i.test(name));
    expect(names.map((name) => multiValueHeaders[name])).toEqual([['secret']]);
    expect(multiValueHeaders['X-A']).toEqual(['1']);
  });

  test.each(['Host', 'Cookie', 'Via', 'x-amz-meta-a', 'X-Edge-Key'])(
    'is refused at start when CloudFront cannot add %s',
    (name) => {
      expect(() => readEdge(stackOf(behindEdge(withHeader(name))))).toThrow(
        new RegExp(`HeaderName may not be ${name}`),
      );
    },
  );
});

describe('a request to the host of the API itself', () => {
  test('reaches the API without the headers and the rules of the distribution', async () => {
    const { port, invoked } = await start(behindEdge(withHeader('Referer')));
    const response = await direct(port, '/v1/open/a?x=1');
    expect([response.status, response.header('x-frame-options')]).toEqual([200, undefined]);
    const { path, headers } = invoked.lastEvent();
    expect([path, headers.Referer]).toEqual(['/open/a', undefined]);
  });

  test.each(['/open/a', '/v2/open/a', '/v1x/open/a', '/'])(
    'is refused without the stage in its path: %s',
    async (target) => {
      const { port, invoked } = await start(behindEdge());
      const response = await direct(port, target);
      expect([response.status, response.text]).toEqual([403, '{"message":"Forbidden"}']);
      expect(invoked.calls('api')).toHaveLength(0);
    },
  );
});

const RULE = {
  Name: 'rate',
  Priority: 0,
  Statement: { RateBasedStatement: { AggregateKeyType: 'IP', Limit: 3 } },
  Action: {
    Block: {
      CustomResponse: {
        ResponseCode: 429,
        CustomResponseBodyKey: 'much',
        ResponseHeaders: [{ Name: 'Retry-After', Value: '60' }],
      },
    },
  },
};

/** A rule that counts the requests below one path. */
const scopedTo = (match: object, Limit = 2) => ({
  ...RULE,
  Priority: 1,
  Statement: {
    RateBasedStatement: {
      AggregateKeyType: 'IP',
      Limit,
      ScopeDownStatement: {
        ByteMatchStatement: {
          FieldToMatch: { UriPath: {} },
          PositionalConstraint: 'STARTS_WITH',
          SearchString: '/open/b',
          TextTransformations: [{ Priority: 0, Type: 'URL_DECODE' }],
          ...match,
        },
      },
    },
  },
});

function withWebAcl(more: object = {}): Resources {
  const ACL = {
    Scope: 'CLOUDFRONT',
    DefaultAction: { Allow: {} },
    CustomResponseBodies: { much: { ContentType: 'APPLICATION_JSON', Content: '{"a":1}' } },
    Rules: [RULE],
    ...more,
  };
  return {
    ...behindEdge({ config: { WebACLId: 'arn:acl' } }),
    Acl: { Type: 'AWS::WAFv2::WebACL', Properties: ACL },
  };
}

describe('the rate rule of the web ACL', () => {
  test('refuses an address above its limit until five minutes have passed', async () => {
    let now = Date.UTC(2026, 10, 22);
    const { port, invoked } = await start(withWebAcl(), () => now);
    for (let sent = 0; sent < 3; sent++) expect((await send(port, 'GET /open/a')).status).toBe(200);
    const refused = await send(port, 'GET /open/a');
    expect([refused.status, refused.text]).toEqual([429, '{"a":1}']);
    expect(refused.header('retry-after')).toBe('60');
    expect(refused.header('content-type')).toBe('application/json');
    expect(invoked.calls('api')).toHaveLength(3);
    now += 310_000;
    expect((await send(port, 'GET /open/a')).status).toBe(200);
  });

  test('counts only the requests below its path, decoded', async () => {
    const { port } = await start(withWebAcl({ Rules: [scopedTo({}), { ...RULE, Priority: 0 }] }));
    const statuses: number[] = [];
    for (const path of ['/open/a', '/open/b', '/open/%62']) {
      statuses.push((await send(port, `GET ${path}`)).status);
    }
    expect(statuses).toEqual([200, 200, 200]);
    const lower = await start(withWebAcl({ Rules: [RULE, scopedTo({}, 1)] }));
    expect((await send(lower.port, 'GET /open/b')).status).toBe(200);
    expect((await send(lower.port, 'GET /open/%62')).status).toBe(429);
    expect((await send(lower.port, 'GET /open/a')).status).toBe(200);
  });

  test('does not apply to a request past the distribution', async () => {
    const { port } = await start(withWebAcl());
    for (let sent = 0; sent < 5; sent++) {
      expect((await direct(port, '/v1/open/a')).status).toBe(200);
    }
  });

  test.each<[string, object]>([
    ['Scope', { Scope: 'REGIONAL' }],
    ['DefaultAction', { DefaultAction: { Block: {} } }],
    ['decoded UriPath', { Rules: [scopedTo({ PositionalConstraint: 'CONTAINS' })] }],
    [
      'decoded UriPath',
      { Rules: [scopedTo({ FieldToMatch: { UriPath: {} }, TextTransformations: [] })] },
    ],
    ['must count by IP', { Rules: [{ ...RULE, Statement: {} }] }],
    ['CustomResponseBodyKey', { CustomResponseBodies: {} }],
  ])('is refused at start with another %s', (message, more) => {
    expect(() => readEdge(stackOf(withWebAcl(more)))).toThrow(message);
  });
});
