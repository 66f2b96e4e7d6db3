import type { ResolvedResource, ResolvedStack } from '../../src/template/model';

/** Type and properties by logical id, with intrinsics resolved. */
export type Resources = Record<string, { Type: string; Properties: Record<string, unknown> }>;

const REGION = 'us-east-1';
const ACCOUNT = '000000000000';

export const functionArn = (name: string) => `arn:aws:lambda:${REGION}:${ACCOUNT}:function:${name}`;

export const invocationUri = (name: string) =>
  `arn:aws:apigateway:${REGION}:lambda:path/2015-03-31/functions/${functionArn(name)}/invocations`;

export const streamingUri = (name: string) =>
  `arn:aws:apigateway:${REGION}:lambda:path/2021-11-15/functions/${functionArn(name)}/response-streaming-invocations`;

export const sourceArn = (rest: string) =>
  `arn:aws:execute-api:${REGION}:${ACCOUNT}:api123/${rest}`;

export const lambdaFunction = () => ({ Type: 'AWS::Lambda::Function', Properties: {} });

export function permission(name: string, source = sourceArn('v1/*')) {
  return {
    Type: 'AWS::Lambda::Permission',
    Properties: {
      Action: 'lambda:InvokeFunction',
      FunctionName: functionArn(name),
      Principal: 'apigateway.amazonaws.com',
      SourceArn: source,
    },
  };
}

export function resource(part: string, parent = 'root') {
  return {
    Type: 'AWS::ApiGateway::Resource',
    Properties: { RestApiId: 'api123', ParentId: parent, PathPart: part },
  };
}

export function method(
  httpMethod: string,
  resourceId: string,
  more: Record<string, unknown> = {},
  integration: Record<string, unknown> = {},
) {
  return {
    Type: 'AWS::ApiGateway::Method',
    Properties: {
      RestApiId: 'api123',
      ResourceId: resourceId,
      HttpMethod: httpMethod,
      AuthorizationType: 'NONE',
      Integration: {
        Type: 'AWS_PROXY',
        IntegrationHttpMethod: 'POST',
        Uri: invocationUri('api'),
        ...integration,
      },
      ...more,
    },
  };
}

/** Last argument of `method`: a streaming integration. */
export const STREAM = { ResponseTransferMode: 'STREAM', Uri: streamingUri('api') };
/** Third argument of `method`: a method that requires the authorizer. */
export const CUSTOM = { AuthorizationType: 'CUSTOM', AuthorizerId: 'Authorizer' };

export function tokenAuthorizer(more: Record<string, unknown> = {}) {
  return {
    Type: 'AWS::ApiGateway::Authorizer',
    Properties: {
      RestApiId: 'api123',
      Name: 'keys',
      Type: 'TOKEN',
      AuthorizerUri: invocationUri('authorizer'),
      IdentitySource: 'method.request.header.Authorization',
      IdentityValidationExpression: 'Bearer .+',
      AuthorizerResultTtlInSeconds: 300,
      ...more,
    },
  };
}

export function gatewayResponse(type: string, more: Record<string, unknown> = {}) {
  return {
    Type: 'AWS::ApiGateway::GatewayResponse',
    Properties: { RestApiId: 'api123', ResponseType: type, ...more },
  };
}

/**
 * An API with an open, an authorized and a streamed resource, the functions `api` and `authorizer`,
 * and all permissions.
 */
export const BASE: Resources = {
  Api: {
    Type: 'AWS::ApiGateway::RestApi',
    Properties: {
      Name: 'api',
      BinaryMediaTypes: ['*/*'],
      EndpointConfiguration: { Types: ['REGIONAL'] },
    },
  },
  Deployment: { Type: 'AWS::ApiGateway::Deployment', Properties: { RestApiId: 'api123' } },
  Stage: {
    Type: 'AWS::ApiGateway::Stage',
    Properties: { RestApiId: 'api123', DeploymentId: 'deploy1', StageName: 'v1' },
  },
  api: lambdaFunction(),
  authorizer: lambdaFunction(),
  ApiPermission: permission('api'),
  AuthorizerPermission: permission('authorizer', sourceArn('authorizers/Authorizer')),
  Authorizer: tokenAuthorizer(),
  Open: resource('open'),
  OpenProxy: resource('{proxy+}', 'Open'),
  OpenAny: method('ANY', 'OpenProxy'),
  Closed: resource('closed'),
  ClosedProxy: resource('{proxy+}', 'Closed'),
  ClosedAny: method('ANY', 'ClosedProxy', CUSTOM),
  Streamed: resource('streamed'),
  StreamedAny: method('ANY', 'Streamed', {}, STREAM),
};

const PHYSICAL_IDS: Record<string, string> = { Api: 'api123', Deployment: 'deploy1', Stage: 'v1' };

/**
 * Returns a resolved stack of these resources. The physical id of a resource is its logical id,
 * except for those in PHYSICAL_IDS.
 */
export function stackOf(resources: Resources): ResolvedStack {
  const names = Object.keys(resources);
  const entries = Object.entries(resources).map(([logicalId, { Type, Properties }]) => {
    const resolved: ResolvedResource = {
      logicalId,
      type: Type,
      properties: Properties,
      physicalId: PHYSICAL_IDS[logicalId] ?? logicalId,
      ...(Type === 'AWS::Lambda::Function' && { arn: functionArn(logicalId) }),
      ...(Type === 'AWS::Lambda::Url' && {
        functionUrl: `https://${logicalId.toLowerCase()}.lambda-url.${REGION}.on.aws/`,
      }),
      ...(Type === 'AWS::WAFv2::WebACL' && { arn: `arn:${logicalId.toLowerCase()}` }),
      dependsOn: logicalId.startsWith('Deployment')
        ? names.filter((name) => name !== logicalId)
        : [],
    };
    return [logicalId, resolved] as const;
  });
  return {
    stackName: 'Test',
    region: REGION,
    accountId: ACCOUNT,
    resources: new Map(entries),
    outputs: {},
    assetPath: () => {
      throw new Error('no assets in this stack');
    },
  };
}

/** BASE with some properties of one resource replaced. The value undefined removes a property. */
export function changed(
  logicalId: string,
  properties: Record<string, unknown>,
  resources: Resources = BASE,
): Resources {
  const old = resources[logicalId];
  if (old === undefined) throw new Error(`no ${logicalId}`);
  return {
    ...resources,
    [logicalId]: { ...old, Properties: { ...old.Properties, ...properties } },
  };
}
