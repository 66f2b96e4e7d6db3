import { UserError } from '../../../src/errors/user-error';
import { readRestApi } from '../../../src/services/rest-api/model/model';
import {
  BASE,
  CUSTOM,
  changed,
  gatewayResponse,
  invocationUri,
  method,
  permission,
  type Resources,
  resource,
  STREAM,
  sourceArn,
  stackOf,
  streamingUri,
  tokenAuthorizer,
} from '../stack';

type Properties = Record<string, unknown>;

const read = (resources: Resources) => readRestApi(stackOf(resources));

/** Returns the message with which the model refuses the resources. */
function refusal(resources: Resources): string {
  try {
    read(resources);
  } catch (error) {
    if (error instanceof UserError) return error.message;
    throw error;
  }
  return 'accepted';
}

const openMethod = (properties: Properties) => ({
  ...BASE,
  OpenAny: method('ANY', 'OpenProxy', properties),
});

describe('model of the API', () => {
  test('describes the API with the given logical id', () => {
    const RestApiId = 'Second';
    const part = (name: string, more = {}) =>
      changed(name, { RestApiId, ...more })[name] ?? resource('none');
    const stack = stackOf({
      ...BASE,
      Second: part('Api', { RestApiId: undefined }),
      Deployment2: part('Deployment'),
      Stage2: part('Stage', { DeploymentId: 'Deployment2' }),
      Open2: part('Open', { ParentId: 'root2', PathPart: 'pictures' }),
      Get2: method('GET', 'Open2', { RestApiId }),
      Permission2: permission('api', sourceArn('v1/*').replace('api123', 'Second')),
    });
    const paths = (id?: string) => readRestApi(stack, id).routes.map((route) => route.resourcePath);
    const first = read(BASE).routes.map((route) => route.resourcePath);
    expect([paths(), paths('Api'), paths('Second')]).toEqual([first, first, ['/pictures']]);
    expect(() => readRestApi(stack, 'Third')).toThrow('has no REST API');
  });

  test('has the routes of the template', () => {
    const { routes } = read({
      ...BASE,
      Root: method('GET', 'root'),
      OpenGet: method('GET', 'Open', CUSTOM, { ...STREAM, TimeoutInMillis: '900000' }),
    });
    const shown = routes.map((r) => [
      r.httpMethod,
      r.resourcePath,
      r.streaming,
      r.timeoutMs,
      r.authorizer?.id,
    ]);
    expect(shown).toEqual([
      ['ANY', '/open/{proxy+}', false, 29_000, undefined],
      ['ANY', '/closed/{proxy+}', false, 29_000, 'Authorizer'],
      ['ANY', '/streamed', true, 29_000, undefined],
      ['GET', '/', false, 29_000, undefined],
      ['GET', '/open', true, 900_000, 'Authorizer'],
    ]);
  });

  test('ignores properties that do not change responses', () => {
    const setting = { HttpMethod: '*', ResourcePath: '/*', LoggingLevel: 'ERROR' };
    const MethodSettings = [{ ...setting, ThrottlingRateLimit: 5, CachingEnabled: false }];
    const resources = changed('Stage', { MethodSettings, TracingEnabled: true, Tags: [] });
    const Account = { Type: 'AWS::ApiGateway::Account', Properties: {} };
    expect(refusal({ ...resources, Account })).toBe('accepted');
    expect(refusal(openMethod({ MethodResponses: [], ApiKeyRequired: false }))).toBe('accepted');
  });
});

/** How a part of BASE gets other properties, and how its messages begin. */
const PARTS: Record<string, readonly [(properties: Properties) => Resources, string]> = {
  API: [(own) => changed('Api', own), 'Api (AWS::ApiGateway::RestApi)'],
  stage: [(own) => changed('Stage', own), 'Stage (AWS::ApiGateway::Stage)'],
  deployment: [(own) => changed('Deployment', own), 'Deployment (AWS::ApiGateway::Deployment)'],
  authorizer: [(own) => changed('Authorizer', own), 'Authorizer (AWS::ApiGateway::Authorizer)'],
  permission: [(own) => changed('ApiPermission', own), 'ApiPermission (AWS::Lambda::Permission)'],
  method: [openMethod, 'OpenAny (AWS::ApiGateway::Method)'],
  integration: [
    (own) => ({ ...BASE, OpenAny: method('ANY', 'OpenProxy', {}, own) }),
    'OpenAny (AWS::ApiGateway::Method)',
  ],
  response: [
    (own) => ({ ...BASE, R: gatewayResponse('UNAUTHORIZED', own) }),
    'R (AWS::ApiGateway::GatewayResponse)',
  ],
  resource: [
    ({ parent = 'root', part }) => ({ ...BASE, Odd: resource(String(part), String(parent)) }),
    'Odd (AWS::ApiGateway::Resource)',
  ],
};

const template = (text: string) => ({ ResponseTemplates: { 'application/json': text } });
const header = (value: string) => ({ ResponseParameters: { 'gatewayresponse.header.A': value } });
const HEADER = 'ResponseParameters.gatewayresponse.header.A';
const TEMPLATE = 'ResponseTemplates.application/json uses ';

test.each<[keyof typeof PARTS, Properties, string]>([
  ['API', { EndpointConfiguration: { Types: ['PRIVATE'] } }, 'EndpointConfiguration.Types'],
  ['API', { Body: {} }, 'Body'],
  ['API', { MinimumCompressionSize: 0 }, 'MinimumCompressionSize'],
  ['API', { DisableExecuteApiEndpoint: true }, 'DisableExecuteApiEndpoint'],
  ['API', { BinaryMediaTypes: '*/*' }, 'BinaryMediaTypes'],
  ['stage', { CacheClusterEnabled: 'true' }, 'CacheClusterEnabled'],
  ['stage', { MethodSettings: [{ CachingEnabled: true }] }, 'MethodSettings[0].CachingEnabled'],
  ['stage', { CanarySetting: {} }, 'CanarySetting'],
  ['stage', { DeploymentId: 'x' }, 'DeploymentId'],
  ['stage', { StageName: 'a-b' }, 'StageName'],
  ['stage', { Variables: { a: 'x'.repeat(513) } }, 'Variables.a'],
  ['deployment', { DeploymentCanarySettings: {} }, 'DeploymentCanarySettings'],
  ['authorizer', { Type: 'COGNITO_USER_POOLS' }, 'Type'],
  ['authorizer', { AuthorizerCredentials: 'x' }, 'AuthorizerCredentials'],
  ['authorizer', { AuthorizerUri: streamingUri('authorizer') }, 'AuthorizerUri'],
  ['authorizer', { AuthorizerResultTtlInSeconds: 3_601 }, 'AuthorizerResultTtlInSeconds'],
  ['authorizer', { IdentityValidationExpression: '(' }, 'IdentityValidationExpression'],
  ['authorizer', { IdentitySource: 'method.request.querystring.a' }, 'IdentitySource'],
  ['authorizer', { IdentitySource: 'method.request.path.a' }, 'IdentitySource'],
  [
    'authorizer',
    { Type: 'REQUEST', IdentitySource: undefined, IdentityValidationExpression: undefined },
    'IdentitySource',
  ],
  ['authorizer', { Type: 'REQUEST' }, 'IdentityValidationExpression'],
  ['permission', { PrincipalOrgID: 'o' }, 'PrincipalOrgID'],
  ['permission', { SourceArn: 'x' }, 'SourceArn'],
  ['response', { ResponseType: 'NOT_FOUND' }, 'ResponseType'],
  ['response', { StatusCode: '40' }, 'StatusCode'],
  ['response', { ResponseTemplates: { 'text/xml': '' } }, 'ResponseTemplates.text/xml'],
  ['response', template('#if($context.requestId)x#end'), `${TEMPLATE}#if`],
  ['response', template('$util.escapeJavaScript($context.path)'), '$util.escapeJavaScript'],
  ['response', template('$' + '{context.path}'), TEMPLATE],
  ['response', template('$context.request_id'), `${TEMPLATE}$context.request_id`],
  ['response', template('$method.request.header.X'), `${TEMPLATE}$method.request.header.X`],
  ['response', header('b'), HEADER],
  ['response', header('method.request.header.B'), HEADER],
  ['response', header("'b\n'"), HEADER],
  [
    'response',
    { ResponseParameters: { 'gatewayresponse.path.A': "'b'" } },
    'ResponseParameters.gatewayresponse.path.A',
  ],
  ['method', { Integration: undefined }, 'Integration is missing'],
  ['method', { RequestValidatorId: 'v' }, 'RequestValidatorId'],
  ['method', { RequestParameters: {} }, 'RequestParameters'],
  ['method', { ApiKeyRequired: true }, 'ApiKeyRequired'],
  ['method', { AuthorizationType: 'AWS_IAM' }, 'AuthorizationType AWS_IAM'],
  ['method', { ...CUSTOM, AuthorizerId: 'x' }, 'AuthorizerId is unknown: x'],
  ['method', { HttpMethod: 'TRACE' }, 'HttpMethod'],
  ['integration', { Type: 'MOCK' }, 'Integration.Type MOCK'],
  [
    'integration',
    { Uri: 'arn:aws:apigateway:us-east-1:s3:path/x' },
    'Integration.Uri is not a Lambda',
  ],
  ['integration', { Uri: invocationUri('other') }, 'Integration.Uri names no function'],
  [
    'integration',
    { Uri: invocationUri('$' + '{stageVariables.fn}') },
    'Integration.Uri names no function',
  ],
  ['integration', { ResponseTransferMode: 'STREAM' }, 'Integration.Uri does not fit'],
  ['integration', { Uri: streamingUri('api') }, 'Integration.Uri does not fit'],
  ['integration', { ResponseTransferMode: 'X' }, 'Integration.ResponseTransferMode'],
  ['integration', { IntegrationHttpMethod: 'GET' }, 'Integration.IntegrationHttpMethod'],
  ['integration', { RequestTemplates: {} }, 'Integration.RequestTemplates'],
  ['integration', { Credentials: 'arn:x' }, 'Integration.Credentials'],
  ['integration', { TimeoutInMillis: 29_001 }, 'Integration.TimeoutInMillis'],
  ['integration', { ...STREAM, TimeoutInMillis: 900_001 }, 'Integration.TimeoutInMillis'],
  ['integration', { TimeoutInMillis: 49 }, 'Integration.TimeoutInMillis'],
  ['integration', { TimeoutInMillis: '5s' }, 'Integration.TimeoutInMillis'],
  ['resource', { part: 'odd', parent: 'other' }, 'ParentId'],
  ['resource', { part: 'open' }, 'PathPart'],
  ['resource', { part: '{a+}', parent: 'Open' }, 'PathPart collides with OpenProxy'],
  ['resource', { part: 'x', parent: 'OpenProxy' }, 'PathPart must not follow'],
  ['resource', { part: 'a/b' }, 'PathPart is not a path part'],
])('refuses a %s with %j by logical id and property path: %s', (part, properties, path) => {
  const [change, name] = PARTS[part] ?? [];
  const message = refusal(change?.(properties) ?? BASE);
  expect(message).toContain(`${name}: Properties.`);
  expect(message).toContain(path);
});

test.each<[string, Resources, string]>([
  [
    'a policy without statements',
    changed('Api', { Policy: {} }),
    'Api (AWS::ApiGateway::RestApi).Policy',
  ],
  [
    'a method that occurs twice',
    { ...BASE, Again: method('ANY', 'OpenProxy') },
    'Again (AWS::ApiGateway::Method): Properties.HttpMethod',
  ],
  ...['RequestValidator', 'UsagePlan'].map((type): [string, Resources, string] => [
    `a ${type}`,
    { ...BASE, X: { Type: `AWS::ApiGateway::${type}`, Properties: {} } },
    `X (AWS::ApiGateway::${type})`,
  ]),
  ['two stages', { ...BASE, S2: BASE.Stage ?? resource('x') }, 'found Stage, S2'],
  [
    'no API',
    Object.fromEntries(Object.entries(BASE).filter(([id]) => id !== 'Api')),
    'has no REST API',
  ],
  [
    'a resource of an unknown API',
    changed('Open', { RestApiId: 'api124' }),
    'Open (AWS::ApiGateway::Resource).RestApiId',
  ],
  [
    'eleven authorizers',
    {
      ...BASE,
      ...Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`A${i}`, tokenAuthorizer()])),
    },
    'A9 (AWS::ApiGateway::Authorizer)',
  ],
])('refuses a template with %s', (_, resources, message) => {
  expect(refusal(resources)).toContain(message);
});

test.each(['OpenAny', 'R'])('refuses a deployment that does not depend on %s', (name) => {
  const stack = stackOf({ ...BASE, R: gatewayResponse('UNAUTHORIZED') });
  const deployment = stack.resources.get('Deployment');
  if (deployment === undefined) throw new Error('no deployment');
  const dependsOn = deployment.dependsOn.filter((dependency) => dependency !== name);
  const resources = new Map(stack.resources).set('Deployment', { ...deployment, dependsOn });
  expect(() => readRestApi({ ...stack, resources })).toThrow(`DependsOn lacks ${name}`);
});
