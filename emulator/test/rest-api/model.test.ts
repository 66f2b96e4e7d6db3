import { readRestApi } from '../../src/services/rest-api/model/model';
import { UserError } from '../../src/user-error';
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
} from './stack';

const read = (resources: Resources) => readRestApi(stackOf(resources));

function refusal(resources: Resources): string {
  try {
    read(resources);
  } catch (error) {
    if (error instanceof UserError) return error.message;
    throw error;
  }
  return 'accepted';
}

const integration = (properties: Record<string, unknown>) => ({
  ...BASE,
  OpenAny: method('ANY', 'OpenProxy', {}, properties),
});
const openMethod = (properties: Record<string, unknown>) => ({
  ...BASE,
  OpenAny: method('ANY', 'OpenProxy', properties),
});
const response = (properties: Record<string, unknown>) => ({
  ...BASE,
  R: gatewayResponse('UNAUTHORIZED', properties),
});
const template = (text: string) => response({ ResponseTemplates: { 'application/json': text } });
const authorizer = (properties: Record<string, unknown>) => changed('Authorizer', properties);
const without = (name: string) =>
  Object.fromEntries(Object.entries(BASE).filter(([key]) => key !== name));

describe('the model of the API', () => {
  test('is that of one of several', () => {
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

  test('takes what makes no difference to clients', () => {
    const settings = [
      {
        HttpMethod: '*',
        ResourcePath: '/*',
        LoggingLevel: 'ERROR',
        ThrottlingRateLimit: 5,
        CachingEnabled: false,
      },
    ];
    const resources = changed('Stage', {
      MethodSettings: settings,
      TracingEnabled: true,
      Tags: [],
    });
    expect(
      refusal({ ...resources, Account: { Type: 'AWS::ApiGateway::Account', Properties: {} } }),
    ).toBe('accepted');
    expect(refusal(openMethod({ MethodResponses: [], ApiKeyRequired: false }))).toBe('accepted');
  });
});

describe('refuses, with the logical id and the property path,', () => {
  test.each<[string, Resources, string]>([
    [
      'an integration that is not AWS_PROXY',
      integration({ Type: 'MOCK' }),
      'OpenAny (AWS::ApiGateway::Method): Properties.Integration.Type MOCK',
    ],
    [
      'a service integration',
      integration({ Uri: 'arn:aws:apigateway:us-east-1:s3:path/x' }),
      'OpenAny (AWS::ApiGateway::Method): Properties.Integration.Uri is no Lambda',
    ],
    [
      'a function of another stack',
      integration({ Uri: invocationUri('other') }),
      'Properties.Integration.Uri names no function',
    ],
    [
      'a URI with stage variables',
      integration({ Uri: invocationUri('$' + '{stageVariables.fn}') }),
      'Properties.Integration.Uri names no function',
    ],
    [
      'STREAM with the buffered URI',
      integration({ ResponseTransferMode: 'STREAM' }),
      'Properties.Integration.Uri does not fit',
    ],
    [
      'the streaming URI without STREAM',
      integration({ Uri: streamingUri('api') }),
      'Properties.Integration.Uri does not fit',
    ],
    [
      'an unknown transfer mode',
      integration({ ResponseTransferMode: 'X' }),
      'Properties.Integration.ResponseTransferMode',
    ],
    [
      'another method to Lambda than POST',
      integration({ IntegrationHttpMethod: 'GET' }),
      'Properties.Integration.IntegrationHttpMethod',
    ],
    [
      'request templates',
      integration({ RequestTemplates: {} }),
      'Properties.Integration.RequestTemplates',
    ],
    ['credentials', integration({ Credentials: 'arn:x' }), 'Properties.Integration.Credentials'],
    [
      'a buffered timeout above 29 s',
      integration({ TimeoutInMillis: 29_001 }),
      'Properties.Integration.TimeoutInMillis',
    ],
    [
      'a streaming timeout above 15 min',
      integration({ ...STREAM, TimeoutInMillis: 900_001 }),
      'Properties.Integration.TimeoutInMillis',
    ],
    [
      'a timeout below 50 ms',
      integration({ TimeoutInMillis: 49 }),
      'Properties.Integration.TimeoutInMillis',
    ],
    [
      'a timeout that is no number',
      integration({ TimeoutInMillis: '5s' }),
      'Properties.Integration.TimeoutInMillis',
    ],
    [
      'a missing integration',
      openMethod({ Integration: undefined }),
      'Properties.Integration is missing',
    ],
    [
      'a validator',
      openMethod({ RequestValidatorId: 'v' }),
      'OpenAny (AWS::ApiGateway::Method): Properties.RequestValidatorId',
    ],
    ['request parameters', openMethod({ RequestParameters: {} }), 'Properties.RequestParameters'],
    ['a required API key', openMethod({ ApiKeyRequired: true }), 'Properties.ApiKeyRequired'],
    [
      'IAM authorization',
      openMethod({ AuthorizationType: 'AWS_IAM' }),
      'Properties.AuthorizationType AWS_IAM',
    ],
    [
      'an unknown authorizer',
      openMethod({ ...CUSTOM, AuthorizerId: 'x' }),
      'Properties.AuthorizerId is unknown: x',
    ],
    ['an unknown method', openMethod({ HttpMethod: 'TRACE' }), 'Properties.HttpMethod'],
    [
      'one method twice',
      { ...BASE, Again: method('ANY', 'OpenProxy') },
      'Again (AWS::ApiGateway::Method): Properties.HttpMethod',
    ],
    [
      'two roots',
      { ...BASE, Odd: resource('odd', 'other') },
      'Odd (AWS::ApiGateway::Resource): Properties.ParentId',
    ],
    [
      'one path twice',
      { ...BASE, Odd: resource('open') },
      'Odd (AWS::ApiGateway::Resource): Properties.PathPart',
    ],
    [
      'two names for one parameter',
      { ...BASE, Odd: resource('{a+}', 'Open') },
      'Properties.PathPart collides with OpenProxy',
    ],
    [
      'a part after a greedy one',
      { ...BASE, Odd: resource('x', 'OpenProxy') },
      'Properties.PathPart must not follow',
    ],
    [
      'a part with a slash',
      { ...BASE, Odd: resource('a/b') },
      'Properties.PathPart is no path part',
    ],
    [
      'an edge-optimized API',
      changed('Api', { EndpointConfiguration: undefined }),
      'Api (AWS::ApiGateway::RestApi): Properties.EndpointConfiguration.Types',
    ],
    ['an OpenAPI body', changed('Api', { Body: {} }), 'Properties.Body'],
    ['a resource policy', changed('Api', { Policy: {} }), 'Properties.Policy'],
    [
      'compression',
      changed('Api', { MinimumCompressionSize: 0 }),
      'Properties.MinimumCompressionSize',
    ],
    [
      'a disabled endpoint',
      changed('Api', { DisableExecuteApiEndpoint: true }),
      'Properties.DisableExecuteApiEndpoint',
    ],
    [
      'media types that are no list',
      changed('Api', { BinaryMediaTypes: '*/*' }),
      'Properties.BinaryMediaTypes',
    ],
    [
      'a cache',
      changed('Stage', { CacheClusterEnabled: 'true' }),
      'Stage (AWS::ApiGateway::Stage): Properties.CacheClusterEnabled',
    ],
    [
      'caching of a method',
      changed('Stage', { MethodSettings: [{ CachingEnabled: true }] }),
      'Properties.MethodSettings[0].CachingEnabled',
    ],
    ['a canary', changed('Stage', { CanarySetting: {} }), 'Properties.CanarySetting'],
    [
      'a stage of another deployment',
      changed('Stage', { DeploymentId: 'x' }),
      'Properties.DeploymentId',
    ],
    ['a stage name with a dash', changed('Stage', { StageName: 'a-b' }), 'Properties.StageName'],
    [
      'a long stage variable',
      changed('Stage', { Variables: { a: 'x'.repeat(513) } }),
      'Properties.Variables.a',
    ],
    [
      'a canary deployment',
      changed('Deployment', { DeploymentCanarySettings: {} }),
      'Properties.DeploymentCanarySettings',
    ],
    [
      'a Cognito authorizer',
      authorizer({ Type: 'COGNITO_USER_POOLS' }),
      'Authorizer (AWS::ApiGateway::Authorizer): Properties.Type',
    ],
    [
      'an authorizer with credentials',
      authorizer({ AuthorizerCredentials: 'x' }),
      'Properties.AuthorizerCredentials',
    ],
    [
      'a streaming authorizer',
      authorizer({ AuthorizerUri: streamingUri('authorizer') }),
      'Properties.AuthorizerUri',
    ],
    [
      'a cache of more than an hour',
      authorizer({ AuthorizerResultTtlInSeconds: 3_601 }),
      'Properties.AuthorizerResultTtlInSeconds',
    ],
    [
      'a broken expression',
      authorizer({ IdentityValidationExpression: '(' }),
      'Properties.IdentityValidationExpression',
    ],
    [
      'a token from the query',
      authorizer({ IdentitySource: 'method.request.querystring.a' }),
      'Properties.IdentitySource',
    ],
    [
      'a token from a path parameter',
      authorizer({ IdentitySource: 'method.request.path.a' }),
      'Properties.IdentitySource',
    ],
    [
      'a cached REQUEST authorizer without identity',
      authorizer({
        Type: 'REQUEST',
        IdentitySource: undefined,
        IdentityValidationExpression: undefined,
      }),
      'Properties.IdentitySource',
    ],
    [
      'an expression for REQUEST',
      authorizer({ Type: 'REQUEST' }),
      'Properties.IdentityValidationExpression',
    ],
    [
      'an unknown gateway response',
      { ...BASE, R: gatewayResponse('NOT_FOUND') },
      'R (AWS::ApiGateway::GatewayResponse): Properties.ResponseType',
    ],
    ['a status of two digits', response({ StatusCode: '40' }), 'Properties.StatusCode'],
    [
      'a template for XML',
      response({ ResponseTemplates: { 'text/xml': '' } }),
      'Properties.ResponseTemplates.text/xml',
    ],
    [
      'a VTL directive',
      template('#if($context.requestId)x#end'),
      'Properties.ResponseTemplates.application/json uses #if',
    ],
    [
      'a VTL function',
      template('$util.escapeJavaScript($context.path)'),
      'uses $util.escapeJavaScript',
    ],
    [
      'a VTL reference in braces',
      template('$' + '{context.path}'),
      'Properties.ResponseTemplates.application/json uses',
    ],
    ['an unknown variable', template('$context.request_id'), 'uses $context.request_id'],
    [
      'the request in a template',
      template('$method.request.header.X'),
      'uses $method.request.header.X',
    ],
    [
      'a header without quotes',
      response({ ResponseParameters: { 'gatewayresponse.header.A': 'b' } }),
      'Properties.ResponseParameters.gatewayresponse.header.A',
    ],
    [
      'a header from the request',
      response({ ResponseParameters: { 'gatewayresponse.header.A': 'method.request.header.B' } }),
      'Properties.ResponseParameters.gatewayresponse.header.A',
    ],
    [
      'a header with a line break',
      response({ ResponseParameters: { 'gatewayresponse.header.A': "'b\n'" } }),
      'Properties.ResponseParameters.gatewayresponse.header.A',
    ],
    [
      'a path parameter of a response',
      response({ ResponseParameters: { 'gatewayresponse.path.A': "'b'" } }),
      'Properties.ResponseParameters.gatewayresponse.path.A',
    ],
    [
      'a request validator',
      { ...BASE, V: { Type: 'AWS::ApiGateway::RequestValidator', Properties: {} } },
      'V (AWS::ApiGateway::RequestValidator)',
    ],
    [
      'a usage plan',
      { ...BASE, U: { Type: 'AWS::ApiGateway::UsagePlan', Properties: {} } },
      'U (AWS::ApiGateway::UsagePlan)',
    ],
    [
      'a permission with more conditions',
      changed('ApiPermission', { PrincipalOrgID: 'o' }),
      'ApiPermission (AWS::Lambda::Permission): Properties.PrincipalOrgID',
    ],
    [
      'a permission whose source is no ARN',
      changed('ApiPermission', { SourceArn: 'x' }),
      'ApiPermission (AWS::Lambda::Permission): Properties.SourceArn',
    ],
    ['two stages', { ...BASE, S2: BASE.Stage ?? resource('x') }, 'found Stage, S2'],
    ['no API', without('Api'), 'has no REST API'],
    [
      'a part of no API',
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
  ])('%s', (_, resources, message) => {
    expect(refusal(resources)).toContain(message);
  });

  test.each(['OpenAny', 'R'])('a deployment that does not wait for %s', (name) => {
    const stack = stackOf({ ...BASE, R: gatewayResponse('UNAUTHORIZED') });
    const deployment = stack.resources.get('Deployment');
    if (deployment === undefined) throw new Error('no deployment');
    const dependsOn = deployment.dependsOn.filter((dependency) => dependency !== name);
    const resources = new Map(stack.resources).set('Deployment', { ...deployment, dependsOn });
    expect(() => readRestApi({ ...stack, resources })).toThrow(`DependsOn lacks ${name}`);
  });
});
