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
const association = (EventType: string, FunctionARN: string) =>
  behavior({ FunctionAssociations: [{ EventType, FunctionARN }] });
const origin = (changes: object) => ({
  config: { Origins: [{ ...CONFIG.Origins[0], ...changes }] },
});
const errors = (response: object) => ({ config: { CustomErrorResponses: [response] } });
const clearText = { CustomOriginConfig: { OriginProtocolPolicy: 'match-viewer' } };
const CACHING = '658327ea-f89d-4fab-a63d-7e88639e58f6';
const HOST = '216adef6-5c7f-47e4-b989-5492eafa07d3';

test.each<[Parameters<typeof behindEdge>[0], RegExp]>([
  [{ config: { Enabled: false } }, /Distribution .*Enabled must be true/],
  [errors({ ErrorCode: 404, ResponsePagePath: '/' }), /\[0\]\.ResponsePagePath is not emulated/],
  [errors({ ErrorCode: 410 }), /CustomErrorResponses\[0\]\.ErrorCode must be one of 400, 403/],
  [behavior({ CachePolicyId: CACHING }), /CachePolicyId must be .*CachingDisabled/],
  [
    behavior({ OriginRequestPolicyId: HOST }),
    /OriginRequestPolicyId must be .*AllViewerExceptHostHeader/,
  ],
  [behavior({ Compress: true }), /Compress is not emulated/],
  [behavior({ TargetOriginId: 'x' }), /TargetOriginId names no origin/],
  [behavior({ ResponseHeadersPolicyId: 'x' }), /ResponseHeadersPolicyId names no policy/],
  [association('viewer-request', 'x'), /Associations\[0\]\.FunctionARN names no function/],
  [association('viewer-response', 'ViewerRequest'), /EventType must be viewer-request/],
  [behavior({ LambdaFunctionAssociations: [] }), /LambdaFunctionAssociations is not emulated/],
  [origin(clearText), /OriginProtocolPolicy must be https-only/],
  [origin({ S3OriginConfig: {} }), /Origins\[0\]\.S3OriginConfig is not emulated/],
  [
    { headers: { CorsConfig: { AccessControlMaxAgeSec: 60 } } },
    /Headers .*AccessControlMaxAgeSec is not emulated/,
  ],
  [
    { more: { FunctionConfig: { Runtime: 'cloudfront-js-1.0' } } },
    /ViewerRequest .*Runtime must be cloudfront-js-2\.0/,
  ],
  [{ more: { AutoPublish: false } }, /AutoPublish must be true/],
  [{ code: '// x\n'.repeat(2049) }, /FunctionCode is longer than 10240 bytes/],
  [{ code: 'function handler( {' }, /FunctionCode cannot be executed: SyntaxError/],
  [{ code: 'function other() {}' }, /FunctionCode cannot be executed: .*no function handler/],
  [{ code: 'for (;;);' }, /FunctionCode cannot be executed: .*timed out/],
])('a distribution with %j is refused: %s', (parts, message) => {
  expect(() => read(behindEdge(parts))).toThrow(message);
});

test.each<[string, Resources[string], RegExp]>([
  [
    'a cache policy',
    { Type: 'AWS::CloudFront::CachePolicy', Properties: {} },
    /Other \(AWS::CloudFront::CachePolicy\): is not emulated/,
  ],
  [
    'a second distribution',
    behindEdge().Distribution ?? { Type: '', Properties: {} },
    /Other .*one distribution, and has Distribution/,
  ],
])('a stack with %s is refused', (_what, Other, message) => {
  expect(() => read({ ...behindEdge(), Other })).toThrow(message);
});
