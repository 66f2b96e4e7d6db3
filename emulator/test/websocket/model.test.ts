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

test.each<[string, object, RegExp]>([
  ['Api', { ProtocolType: 'HTTP' }, /Api .*ProtocolType must be WEBSOCKET/],
  [
    'Api',
    { RouteSelectionExpression: '$request.header.x' },
    /RouteSelectionExpression must be \$request\.body/,
  ],
  ['Api', { DisableExecuteApiEndpoint: true }, /DisableExecuteApiEndpoint/],
  ['Stage', { StageVariables: {} }, /StageVariables is not emulated/],
  ['Stage', { AutoDeploy: undefined }, /Stage .*AutoDeploy must be true/],
  ['ConnectRoute', { AuthorizationType: 'AWS_IAM' }, /ConnectRoute .*Type must be NONE/],
  [
    'DefaultRoute',
    { RouteResponseSelectionExpression: '$default' },
    /RouteResponseSelectionExpression is not emulated/,
  ],
  ['DefaultRoute', { Target: 'x' }, /Target is unknown: x/],
  ['DefaultRoute', { ApiId: 'other' }, /DefaultRoute .*ApiId names another API than Api/],
  ['DefaultIntegration', { IntegrationType: 'MOCK' }, /IntegrationType must be AWS_PROXY/],
  ['DefaultIntegration', { TimeoutInMillis: 29_001 }, /TimeoutInMillis must be 50 to 29000/],
])('the emulator refuses %s with %j', (logicalId, properties, message) => {
  const resources = changed(logicalId, properties);
  expect(() => read(resources)).toThrow(UserError);
  expect(() => read(resources)).toThrow(message);
});

const other = (type: string) => ({ Other: { Type: `AWS::ApiGatewayV2::${type}`, Properties: {} } });

test.each<[string, Resources, RegExp]>([
  ['a deployment', other('Deployment'), /Other \(AWS::ApiGatewayV2::Deployment\): is not emulated/],
  ['a route response', other('RouteResponse'), /Other \(.*RouteResponse\): is not emulated/],
  ['a route that occurs twice', route('Again', '$default'), /RouteKey occurs twice: \$default/],
  [
    'a second stage',
    { Other: { ...BASE.Stage } },
    /one WebSocket API with one Stage; the template has as Stage: Stage, Other/,
  ],
])('the emulator refuses a stack with %s', (_, resources, message) => {
  expect(() => read({ ...BASE, ...resources })).toThrow(message);
});
