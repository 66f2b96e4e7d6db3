import { readEdge } from '../../src/services/edge/model';
import { type Resources, stackOf } from '../rest-api/stack';
import { BEHAVIOR, behindEdge, CONFIG } from './stack';

const read = (resources: Resources) => readEdge(stackOf(resources));

test('reads the distribution, its origins and behaviours', () => {
  const model = read(behindEdge({ config: { Aliases: ['files.example.com'] } }));
  expect(model?.domainNames).toEqual(['distribution.cloudfront.net', 'files.example.com']);
  const found = (path: string) => model?.behaviors.find(({ matches }) => matches(path))?.origin;
  expect(found('/open/sync')).toEqual({
    id: 'sync',
    domainName: 'ws123.execute-api.us-east-1.amazonaws.com',
    path: '/sync',
    headers: [],
  });
  for (const path of [
    '/open/sync/',
    '/open/Sync',
    '/',
    '/open/syn',
    '/x/open/sync',
    '/open.sync',
  ]) {
    expect([path, found(path)?.id]).toEqual([path, 'rest']);
  }
});

test('reads for how long errors are kept', () => {
  const CustomErrorResponses = [{ ErrorCode: 503, ErrorCachingMinTTL: 0 }, { ErrorCode: '404' }];
  expect(read(behindEdge({ config: { CustomErrorResponses } }))?.errorTtls).toEqual(
    new Map([
      [503, 0],
      [404, 10],
    ]),
  );
});

test('a stack without a distribution has no model', () => {
  expect(readEdge(stackOf({}))).toBeUndefined();
});

const behavior = (changes: object) => ({
  config: { DefaultCacheBehavior: { ...BEHAVIOR, ...changes } },
});

test.each<[string, Resources, RegExp]>([
  [
    'that is disabled',
    behindEdge({ config: { Enabled: false } }),
    /Distribution .*Enabled must be true/,
  ],
  [
    'with error pages',
    behindEdge({
      config: { CustomErrorResponses: [{ ErrorCode: 404, ResponsePagePath: '/404.html' }] },
    }),
    /CustomErrorResponses\[0\]\.ResponsePagePath is not emulated/,
  ],
  [
    'that keeps a status other than CloudFront’s',
    behindEdge({ config: { CustomErrorResponses: [{ ErrorCode: 410 }] } }),
    /CustomErrorResponses\[0\]\.ErrorCode must be one of 400, 403/,
  ],
  [
    'that caches',
    behindEdge(behavior({ CachePolicyId: '658327ea-f89d-4fab-a63d-7e88639e58f6' })),
    /CachePolicyId must be .*CachingDisabled/,
  ],
  [
    'that forwards Host',
    behindEdge(behavior({ OriginRequestPolicyId: '216adef6-5c7f-47e4-b989-5492eafa07d3' })),
    /OriginRequestPolicyId must be .*AllViewerExceptHostHeader/,
  ],
  ['that compresses', behindEdge(behavior({ Compress: true })), /Compress is not emulated/],
  [
    'with an unknown origin',
    behindEdge(behavior({ TargetOriginId: 'x' })),
    /TargetOriginId names no origin/,
  ],
  [
    'with an unknown policy of response headers',
    behindEdge(behavior({ ResponseHeadersPolicyId: 'x' })),
    /ResponseHeadersPolicyId names no policy/,
  ],
  [
    'with an unknown function',
    behindEdge(
      behavior({ FunctionAssociations: [{ EventType: 'viewer-request', FunctionARN: 'x' }] }),
    ),
    /FunctionAssociations\[0\]\.FunctionARN names no function/,
  ],
  [
    'with a function for responses',
    behindEdge(
      behavior({
        FunctionAssociations: [{ EventType: 'viewer-response', FunctionARN: 'ViewerRequest' }],
      }),
    ),
    /EventType must be viewer-request/,
  ],
  [
    'with functions of Lambda',
    behindEdge(behavior({ LambdaFunctionAssociations: [] })),
    /LambdaFunctionAssociations is not emulated/,
  ],
  [
    'with an origin in clear text',
    behindEdge({
      config: {
        Origins: [
          { ...CONFIG.Origins[0], CustomOriginConfig: { OriginProtocolPolicy: 'match-viewer' } },
        ],
      },
    }),
    /OriginProtocolPolicy must be https-only/,
  ],
  [
    'with a bucket as origin',
    behindEdge({ config: { Origins: [{ ...CONFIG.Origins[0], S3OriginConfig: {} }] } }),
    /Origins\[0\]\.S3OriginConfig is not emulated/,
  ],
  [
    'whose headers of CORS have an age',
    behindEdge({ headers: { CorsConfig: { AccessControlMaxAgeSec: 60 } } }),
    /Headers .*AccessControlMaxAgeSec is not emulated/,
  ],
  [
    'whose function has another runtime',
    behindEdge({ more: { FunctionConfig: { Runtime: 'cloudfront-js-1.0' } } }),
    /ViewerRequest .*Runtime must be cloudfront-js-2\.0/,
  ],
  [
    'whose function is not published',
    behindEdge({ more: { AutoPublish: false } }),
    /AutoPublish must be true/,
  ],
  [
    'whose function is too long',
    behindEdge({ code: `${'// x\n'.repeat(2048)} function handler() {}` }),
    /FunctionCode is longer than 10240 bytes/,
  ],
  [
    'whose function has a syntax error',
    behindEdge({ code: 'function handler( {' }),
    /FunctionCode cannot be executed: SyntaxError/,
  ],
  [
    'whose function has no handler',
    behindEdge({ code: 'function other() {}' }),
    /FunctionCode cannot be executed: .*no function handler/,
  ],
  [
    'whose function does not end when it is loaded',
    behindEdge({ code: 'for (;;);' }),
    /FunctionCode cannot be executed: .*timed out/,
  ],
  [
    'with a cache policy in the same stack',
    {
      ...behindEdge(),
      Policy: { Type: 'AWS::CloudFront::CachePolicy', Properties: {} },
    },
    /Policy \(AWS::CloudFront::CachePolicy\): is not emulated/,
  ],
  [
    'with a second distribution in the same stack',
    { ...behindEdge(), Second: behindEdge().Distribution ?? { Type: '', Properties: {} } },
    /Second .*one distribution, and has Distribution/,
  ],
])('a distribution %s is refused', (_what, resources, message) => {
  expect(() => read(resources)).toThrow(message);
});
