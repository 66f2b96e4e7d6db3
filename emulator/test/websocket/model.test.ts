import { UserError } from '../../src/errors/user-error';
import { readWebSocketApi } from '../../src/services/websocket/model';
import { BASE, changed, type Resources, route, stackOf } from './stack';

const read = (resources?: Resources) => readWebSocketApi(stackOf(resources));

test('the model has the API, its stage and its routes', () => {
  const stack = stackOf(changed('DefaultIntegration', { TimeoutInMillis: 1000 }));
  const functionArn = stack.resources.get('Sync')?.arn;
  expect(readWebSocketApi(stack)).toEqual({
    region: 'us-east-1',
    accountId: '000000000000',
    apiId: stack.resources.get('Api')?.physicalId,
    stage: 'sync',
    selection: ['action'],
    routes: new Map([
      ['$connect', { routeKey: '$connect', functionArn, timeoutMs: 29_000 }],
      ['$disconnect', { routeKey: '$disconnect', functionArn, timeoutMs: 29_000 }],
      ['$default', { routeKey: '$default', functionArn, timeoutMs: 1000 }],
    ]),
  });
});

test('a stack without a WebSocket API has no model', () => {
  expect(read({})).toBeUndefined();
});

test.each<[string, Resources, RegExp]>([
  ['an HTTP API', changed('Api', { ProtocolType: 'HTTP' }), /Api .*ProtocolType must be WEBSOCKET/],
  [
    'a selection by a header',
    changed('Api', { RouteSelectionExpression: '$request.header.x' }),
    /RouteSelectionExpression must be \$request\.body/,
  ],
  [
    'an API with a disabled endpoint',
    changed('Api', { DisableExecuteApiEndpoint: true }),
    /DisableExecuteApiEndpoint/,
  ],
  [
    'an unknown property',
    changed('Stage', { StageVariables: {} }),
    /StageVariables is not emulated/,
  ],
  [
    'a stage without automatic deployment',
    changed('Stage', { AutoDeploy: undefined }),
    /Stage .*AutoDeploy must be true/,
  ],
  [
    'a deployment resource',
    { ...BASE, Other: { Type: 'AWS::ApiGatewayV2::Deployment', Properties: {} } },
    /Other \(AWS::ApiGatewayV2::Deployment\): is not emulated/,
  ],
  [
    'an authorizer',
    changed('ConnectRoute', { AuthorizationType: 'AWS_IAM' }),
    /ConnectRoute .*AuthorizationType must be NONE/,
  ],
  [
    'a route response',
    changed('DefaultRoute', { RouteResponseSelectionExpression: '$default' }),
    /RouteResponseSelectionExpression is not emulated/,
  ],
  [
    'a route that occurs twice',
    { ...BASE, ...route('Again', '$default') },
    /RouteKey occurs twice: \$default/,
  ],
  ['an unknown target', changed('DefaultRoute', { Target: 'x' }), /Target is unknown: x/],
  [
    'another kind of integration',
    changed('DefaultIntegration', { IntegrationType: 'MOCK' }),
    /IntegrationType must be AWS_PROXY/,
  ],
  [
    'a timeout beyond 29 seconds',
    changed('DefaultIntegration', { TimeoutInMillis: 29_001 }),
    /TimeoutInMillis must be 50 to 29000/,
  ],
  [
    'a route of another API',
    changed('DefaultRoute', { ApiId: 'other' }),
    /DefaultRoute .*ApiId names another API than Api/,
  ],
  [
    'a second stage',
    { ...BASE, Other: { ...BASE.Stage } },
    /one WebSocket API with one Stage, found as Stage: Stage, Other/,
  ],
  [
    'a route response resource',
    { ...BASE, Other: { Type: 'AWS::ApiGatewayV2::RouteResponse', Properties: {} } },
    /Other \(AWS::ApiGatewayV2::RouteResponse\): is not emulated/,
  ],
])('the emulator refuses %s', (_, resources, message) => {
  expect(() => read(resources)).toThrow(UserError);
  expect(() => read(resources)).toThrow(message);
});
