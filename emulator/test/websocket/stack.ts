import type { ResolvedStack } from '../../src/template/model';
import { resolveStack } from '../../src/template/resolve-stack';

export type Resources = Record<string, Record<string, unknown>>;

const API = { Ref: 'Api' };

const join = (...parts: unknown[]) => ({ 'Fn::Join': ['', parts] });
const arnOf = (logicalId: string) => ({ 'Fn::GetAtt': [logicalId, 'Arn'] });
const executeApi = (rest: string) =>
  join(
    'arn:aws:execute-api:',
    { Ref: 'AWS::Region' },
    ':',
    { Ref: 'AWS::AccountId' },
    ':',
    API,
    rest,
  );

function role(statements: readonly unknown[]) {
  const trust = { Effect: 'Allow', Action: 'sts:AssumeRole', Principal: { Service: 'x' } };
  const policy = { PolicyName: 'p', PolicyDocument: { Statement: statements } };
  return {
    Type: 'AWS::IAM::Role',
    Properties: {
      AssumeRolePolicyDocument: { Statement: [trust] },
      Policies: statements.length > 0 ? [policy] : [],
    },
  };
}

/** A route with its integration and permission, as CDK synthesizes them. */
export function route(name: string, routeKey: string, integration: object = {}): Resources {
  return {
    [`${name}Integration`]: {
      Type: 'AWS::ApiGatewayV2::Integration',
      Properties: {
        ApiId: API,
        IntegrationType: 'AWS_PROXY',
        IntegrationUri: join(
          'arn:aws:apigateway:us-east-1:lambda:path/2015-03-31/functions/',
          arnOf('Sync'),
          '/invocations',
        ),
        ...integration,
      },
    },
    [`${name}Route`]: {
      Type: 'AWS::ApiGatewayV2::Route',
      Properties: {
        ApiId: API,
        AuthorizationType: 'NONE',
        RouteKey: routeKey,
        Target: join('integrations/', { Ref: `${name}Integration` }),
      },
    },
    [`${name}Permission`]: {
      Type: 'AWS::Lambda::Permission',
      Properties: {
        Action: 'lambda:InvokeFunction',
        FunctionName: arnOf('Sync'),
        Principal: 'apigateway.amazonaws.com',
        SourceArn: executeApi(`/*${routeKey}`),
      },
    },
  };
}

/**
 * $connect, $disconnect and $default to the function Sync; roles Poster (may POST) and
 * Unprivileged.
 */
export const BASE: Resources = {
  Api: {
    Type: 'AWS::ApiGatewayV2::Api',
    Properties: {
      Name: 'sync',
      ProtocolType: 'WEBSOCKET',
      RouteSelectionExpression: '$request.body.action',
    },
  },
  Stage: {
    Type: 'AWS::ApiGatewayV2::Stage',
    Properties: { ApiId: API, AutoDeploy: true, StageName: 'sync' },
  },
  Sync: { Type: 'AWS::Lambda::Function', Properties: { FunctionName: 'Sync' } },
  ...route('Connect', '$connect'),
  ...route('Disconnect', '$disconnect'),
  ...route('Default', '$default'),
  Poster: role([
    {
      Effect: 'Allow',
      Action: 'execute-api:ManageConnections',
      Resource: executeApi('/sync/POST/@connections/*'),
    },
  ]),
  Unprivileged: role([]),
};

export function stackOf(Resources: Resources = BASE): ResolvedStack {
  return resolveStack({
    stackName: 'test',
    template: { Resources },
    assetPath: () => {
      throw new Error('no assets in this stack');
    },
  });
}

/** BASE with some properties of one resource replaced; undefined removes one. */
export function changed(logicalId: string, properties: object, resources = BASE): Resources {
  const { Properties: old, ...rest } = resources[logicalId] ?? {};
  const Properties = { ...(old as object), ...properties };
  // As JSON has no undefined, nor has a template.
  return { ...resources, [logicalId]: JSON.parse(JSON.stringify({ ...rest, Properties })) };
}

/** BASE without these. */
export function without(...logicalIds: readonly string[]): Resources {
  return Object.fromEntries(Object.entries(BASE).filter(([id]) => !logicalIds.includes(id)));
}
