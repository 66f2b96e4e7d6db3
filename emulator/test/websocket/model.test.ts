import { readWebSocketApi } from '../../src/services/websocket/model';
import { UserError } from '../../src/user-error';
import { BASE, changed, type Resources, route, stackOf } from './stack';

const read = (resources?: Resources) => readWebSocketApi(stackOf(resources));

test('reads the API, its stage and its routes', () => {
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

test('a stack without a WebSocket API has none', () => {
  expect(read({})).toBeUndefined();
});

const deployment = (DependsOn: string[]) => ({
  ...changed('Stage', { AutoDeploy: undefined, DeploymentId: { Ref: 'Deployment' } }),
  Deployment: {
    Type: 'AWS::ApiGatewayV2::Deployment',
    Properties: { ApiId: { Ref: 'Api' } },
    DependsOn,
  },
});

test('a deployment in place of automatic ones must depend on every route', () => {
  const routes = ['ConnectRoute', 'DisconnectRoute', 'DefaultRoute'];
  expect(read(deployment(routes))?.stage).toBe('sync');
  expect(() => read(deployment(routes.slice(1)))).toThrow(
    /Deployment.*lacks DependsOn ConnectRoute/,
  );
});

test.each<[string, Resources, RegExp]>([
  ['an HTTP API', changed('Api', { ProtocolType: 'HTTP' }), /Api .*ProtocolType must be WEBSOCKET/],
  [
    'a selection by a header',
    changed('Api', { RouteSelectionExpression: '$request.header.x' }),
    /RouteSelectionExpression must be \$request\.body/,
  ],
  [
    'an API whose endpoint is off',
    changed('Api', { DisableExecuteApiEndpoint: true }),
    /DisableExecuteApiEndpoint/,
  ],
  [
    'an unknown property',
    changed('Stage', { StageVariables: {} }),
    /StageVariables is not emulated/,
  ],
  [
    'a stage that is never deployed',
    changed('Stage', { AutoDeploy: undefined }),
    /DeploymentId is missing/,
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
    'a route twice',
    { ...BASE, ...route('Again', '$default') },
    /RouteKey is there twice: \$default/,
  ],
  ['a target that is none', changed('DefaultRoute', { Target: 'x' }), /Target is unknown: x/],
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
    /Other \(AWS::ApiGatewayV2::RouteResponse\): not emulated/,
  ],
])('%s is refused', (_, resources, message) => {
  expect(() => read(resources)).toThrow(UserError);
  expect(() => read(resources)).toThrow(message);
});
