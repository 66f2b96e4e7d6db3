import { readRestApi } from '../../../src/services/rest-api/model/model';
import {
  BASE,
  changed,
  gatewayResponse,
  type Resources,
  resource,
  stackOf,
  streamingUri,
  tokenAuthorizer,
} from '../stack';
import { authorizer, refusal, response, template, without } from './model-changes';

test.each<[string, Resources, string]>([
  [
    'a private API',
    changed('Api', { EndpointConfiguration: { Types: ['PRIVATE'] } }),
    'Api (AWS::ApiGateway::RestApi): Properties.EndpointConfiguration.Types',
  ],
  ['an OpenAPI body', changed('Api', { Body: {} }), 'Properties.Body'],
  ['a resource policy', changed('Api', { Policy: {} }), 'Api (AWS::ApiGateway::RestApi).Policy'],
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
    'media types that are not a list',
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
    'a permission whose source is not an ARN',
    changed('ApiPermission', { SourceArn: 'x' }),
    'ApiPermission (AWS::Lambda::Permission): Properties.SourceArn',
  ],
  ['two stages', { ...BASE, S2: BASE.Stage ?? resource('x') }, 'found Stage, S2'],
  ['no API', without('Api'), 'has no REST API'],
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
])('refuses %s, with the logical id and the property path', (_, resources, message) => {
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
