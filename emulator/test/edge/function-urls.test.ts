/** Functions behind the distribution by their URLs. */
import { streamed } from '../rest-api/functions';
import { changed, functionArn, type Resources } from '../rest-api/stack';
import { send } from '../rest-api/wire';
import { serveBehindEdge } from './service';
import { BEHAVIOR, behindEdge, CONFIG } from './stack';

const CODE = `import cf from 'cloudfront';
function handler(event) {
  event.request.headers['x-seen'] = { value: event.request.uri };
  return event.request;
}
`;

const permitted = (Action: string, more: Record<string, unknown> = {}) => ({
  Type: 'AWS::Lambda::Permission',
  Properties: {
    Action,
    FunctionName: functionArn('files'),
    Principal: 'cloudfront.amazonaws.com',
    SourceArn: 'arn:aws:cloudfront::000000000000:distribution/Distribution',
    ...more,
  },
});

const ORIGIN = {
  Id: 'files',
  DomainName: 'url.lambda-url.us-east-1.on.aws',
  OriginAccessControlId: 'Control',
  CustomOriginConfig: { OriginProtocolPolicy: 'https-only', OriginSSLProtocols: ['TLSv1.2'] },
};

/** The function `files` behind `/files/*`. */
function withUrl(origin: Record<string, unknown> = ORIGIN): Resources {
  const behavior = { ...BEHAVIOR, PathPattern: '/files/*', TargetOriginId: 'files' };
  const config = {
    CacheBehaviors: [...CONFIG.CacheBehaviors, behavior],
    Origins: [...CONFIG.Origins, origin],
  };
  return {
    ...behindEdge({ code: CODE, config }),
    files: { Type: 'AWS::Lambda::Function', Properties: {} },
    Url: {
      Type: 'AWS::Lambda::Url',
      Properties: {
        AuthType: 'AWS_IAM',
        InvokeMode: 'RESPONSE_STREAM',
        TargetFunctionArn: functionArn('files'),
      },
    },
    Control: {
      Type: 'AWS::CloudFront::OriginAccessControl',
      Properties: {
        OriginAccessControlConfig: {
          Name: 'control',
          OriginAccessControlOriginType: 'lambda',
          SigningBehavior: 'always',
          SigningProtocol: 'sigv4',
        },
      },
    },
    MayInvokeUrl: permitted('lambda:InvokeFunctionUrl'),
    MayInvoke: permitted('lambda:InvokeFunction', { InvokedViaFunctionUrl: true }),
  };
}

const start = (resources: Resources, files = () => streamed({ statusCode: 200 })) =>
  serveBehindEdge(resources, { files });

test('a function behind its URL gets an event of format 2.0, without Authorization', async () => {
  const { port, behindUrl } = await start(withUrl(), () =>
    streamed({ statusCode: 206, headers: { ETag: '"1"' } }, 'some ', 'bytes'),
  );
  const response = await send(port, 'GET /files/a%2Fb?x=1&x=%20', [
    'Authorization: Bearer k',
    'X-A: 1',
    'X-A: 2',
  ]);
  expect([response.status, response.header('etag'), response.text]).toEqual([
    206,
    '"1"',
    'some bytes',
  ]);
  const event = JSON.parse(behindUrl.calls('files')[0] ?? '');
  expect(event).toMatchObject({
    version: '2.0',
    rawPath: '/files/a/b',
    rawQueryString: 'x=1&x=%20',
    headers: { 'x-a': '1,2', 'x-seen': '/files/a%2Fb' },
    requestContext: { http: { method: 'GET' }, requestId: expect.any(String) },
  });
  expect(event.headers).not.toHaveProperty('authorization');
  expect(response.header('x-frame-options')).toBe('DENY');
});

test.each(['MayInvoke', 'MayInvokeUrl'])(
  'a URL without the permission %s is refused',
  async (name) => {
    const { [name]: _, ...resources } = withUrl();
    const { port, behindUrl } = await start(resources);
    expect(await send(port, 'GET /files/a')).toMatchObject({
      status: 403,
      text: '{"Message":"Forbidden"}',
    });
    expect(behindUrl.calls('files')).toEqual([]);
  },
);

test('a permission of another distribution is none', async () => {
  const SourceArn = 'arn:aws:cloudfront::000000000000:distribution/Other';
  const { port } = await start(changed('MayInvokeUrl', { SourceArn }, withUrl()));
  expect(await send(port, 'GET /files/a')).toMatchObject({ status: 403 });
});

test('a function that fails becomes a 502', async () => {
  const { port, log } = await start(withUrl(), () => {
    throw new Error('broken');
  });
  expect(await send(port, 'GET /files/a')).toMatchObject({ status: 502 });
  expect(log).toEqual([expect.stringContaining('broken')]);
});

test.each<[string, Resources, RegExp]>([
  [
    'anybody may invoke',
    changed('Url', { AuthType: 'NONE' }, withUrl()),
    /AuthType must be AWS_IAM/,
  ],
  ['is buffered', changed('Url', { InvokeMode: 'BUFFERED' }, withUrl()), /InvokeMode must be/],
  [
    'is no origin',
    { ...withUrl(), Distribution: behindEdge().Distribution ?? withUrl() } as Resources,
    /is not an origin/,
  ],
  ['has no access control', withUrl({ ...ORIGIN, OriginAccessControlId: undefined }), /has none/],
])('a URL that %s is refused at start', async (_what, resources, message) => {
  await expect(start(resources)).rejects.toThrow(message);
});
