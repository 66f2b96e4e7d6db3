import { App, Stack } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { newApiKey } from '../../../core/access/api-key';
import { ObjectStorage } from '../../../lib';
import type { FunctionName } from '../../../lib/functions/service-function';
import { slowness } from '../../../scripts/lint-patterns';
import { functionProperties, logicalId, onlyOf, useBundles, useStorage } from '../synthesize';

const EXPRESSION =
  '^[Bb][Ee][Aa][Rr][Ee][Rr] (?:osk_[0-9A-Za-z]{12}_[0-9A-Za-z]{43}_[0-9A-Za-z]{6}|ost_[0-9A-Za-z_-]{20,1900}\\.[0-9A-Za-z_-]{43})$';

interface Route {
  readonly method: string;
  readonly path: string;
  readonly properties: {
    readonly ResourceId: unknown;
    readonly Integration: Readonly<Record<string, unknown>>;
  } & Readonly<Record<string, unknown>>;
}

function routes(template: Template): readonly Route[] {
  const resources = template.findResources('AWS::ApiGateway::Resource');
  const pathOf = (reference: { Ref?: string }): string => {
    const resource = resources[reference.Ref ?? ''];
    if (resource === undefined) return '';
    return `${pathOf(resource.Properties.ParentId)}/${resource.Properties.PathPart}`;
  };
  return Object.values(template.findResources('AWS::ApiGateway::Method')).map(({ Properties }) => ({
    method: Properties.HttpMethod,
    path: pathOf(Properties.ResourceId) || '/',
    properties: Properties,
  }));
}

const bundles = useBundles();
const plain = new Stack(new App({ builtinCloudFormationValidation: false }), 'plain');
new ObjectStorage(plain, 'Storage', { bundles });
const withoutFlags = Template.fromStack(plain);

const STAGE = 'AWS::ApiGateway::Stage';

const OBJECT = '/api/v2/storage/objects/{bucket}/{key+}';

const SITE = ['/', '/assets/{file}', '/openapi.json'];

const LINK = '/s/{id}';

const REVOKE = '/admin/v1/keys/{id}/revoke';

const ADMINISTRATION = [
  '/admin/v1/{proxy+}',
  '/admin/v1/keys',
  '/admin/v1/keys/{id}',
  '/admin/v1/keys/{id}/{proxy+}',
  REVOKE,
];

test('the deployment follows the authorizer, in an app without feature flags too', () => {
  const resources = Object.values(withoutFlags.findResources('AWS::ApiGateway::Deployment'));
  const [authorizer] = Object.keys(withoutFlags.findResources('AWS::ApiGateway::Authorizer'));
  expect(resources.map(({ DependsOn }) => DependsOn)).toEqual([
    expect.arrayContaining([authorizer]),
  ]);
});

interface MethodSetting {
  readonly ResourcePath: string;
  readonly HttpMethod: string;
  readonly ThrottlingRateLimit: number;
  readonly ThrottlingBurstLimit: number;
}

/** `METHOD path`: `rate/burst`. */
function throttles(template: Template): Readonly<Record<string, string>> {
  const settings: readonly MethodSetting[] = onlyOf(template, STAGE).MethodSettings;
  return Object.fromEntries(
    settings.map(({ ResourcePath, HttpMethod, ThrottlingRateLimit, ThrottlingBurstLimit }) => {
      const path = ResourcePath.slice(1).replaceAll('~1', '/');
      return [`${HttpMethod} ${path}`, `${ThrottlingRateLimit}/${ThrottlingBurstLimit}`];
    }),
  );
}

describe('the REST API with default settings', () => {
  const synthesized = useStorage();
  const { stack, storage, template } = synthesized;
  const functionOf = (route: Route): string => {
    const uri = JSON.stringify(route.properties.Integration.Uri);
    const names = ['api', 'download', 'changes', 'admin', 'site'] as const;
    return names
      .filter((name) => uri.includes(logicalId(stack, storage.functions[name].function)))
      .join();
  };

  test('sends GET and HEAD of an object to download, pages of changes to changes, the administration to admin, the page to site, everything else to api', () => {
    const table = routes(template).map(
      (route) => `${route.method} ${route.path} ${functionOf(route)}`,
    );
    expect(table.sort()).toEqual(
      [
        'ANY / api',
        'ANY /{proxy+} api',
        ...ADMINISTRATION.map((path) => `ANY ${path} admin`),
        'ANY /api api',
        'ANY /api/v2 api',
        'ANY /api/v2/storage api',
        'ANY /api/v2/storage/objects api',
        'ANY /api/v2/storage/objects/{bucket} api',
        'ANY /api/v2/storage/sync changes',
        `ANY ${OBJECT} api`,
        `GET ${OBJECT} download`,
        `HEAD ${OBJECT} download`,
        ...['GET', 'HEAD', 'POST'].map((method) => `${method} ${LINK} download`),
        ...SITE.flatMap((path) => [`GET ${path} site`, `HEAD ${path} site`]),
      ].sort(),
    );
  });

  test('authorizes every request, except those to admin, which authorizes them itself, to public files and links', () => {
    const [authorizer] = Object.keys(template.findResources('AWS::ApiGateway::Authorizer'));
    for (const route of routes(template)) {
      const { AuthorizationType, AuthorizerId } = route.properties;
      const expected =
        functionOf(route) === 'admin' || functionOf(route) === 'site' || route.path === LINK
          ? ['NONE', undefined]
          : ['CUSTOM', { Ref: authorizer }];
      expect([AuthorizationType, AuthorizerId]).toEqual(expected);
      expect(route.properties).not.toHaveProperty('ApiKeyRequired');
    }
  });

  test('rejects what cannot be an API key before the authorizer runs', () => {
    template.hasResourceProperties('AWS::ApiGateway::Authorizer', {
      Type: 'TOKEN',
      IdentitySource: 'method.request.header.Authorization',
      AuthorizerResultTtlInSeconds: 300,
      IdentityValidationExpression: EXPRESSION,
    });
  });

  test.each(['Bearer', 'bearer', 'BEARER'])('accepts the scheme as %s', (scheme) => {
    const { text } = newApiKey();
    expect(`${scheme} ${text}`).toMatch(new RegExp(EXPRESSION));
    expect(`${scheme}  ${text}`).not.toMatch(new RegExp(EXPRESSION));
  });

  test('matches tokens in a time that grows with their length at most', () => {
    expect(slowness(EXPRESSION)).toBeUndefined();
  });

  test('streams every response', () => {
    for (const { properties } of routes(template)) {
      expect(properties.Integration).toMatchObject({
        Type: 'AWS_PROXY',
        IntegrationHttpMethod: 'POST',
        ResponseTransferMode: 'STREAM',
      });
      expect(JSON.stringify(properties.Integration.Uri)).toMatch(
        /lambda:path\/2021-11-15\/functions\/.*\/response-streaming-invocations/,
      );
    }
  });

  test('waits as long as the timeout of the function', () => {
    const timeouts = new Map(
      routes(template).map((route) => [
        functionOf(route),
        route.properties.Integration.TimeoutInMillis,
      ]),
    );
    expect(Object.fromEntries(timeouts)).toEqual({
      api: 29_000,
      changes: 29_000,
      admin: 29_000,
      site: 29_000,
      download: 120_000,
    });
    const timeoutOf = (name: FunctionName) => functionProperties(synthesized, name).Timeout;
    expect([timeoutOf('api'), timeoutOf('download')]).toEqual([29, 120]);
  });

  test('is regional and passes every body as bytes', () => {
    template.hasResourceProperties('AWS::ApiGateway::RestApi', {
      EndpointConfiguration: { Types: ['REGIONAL'] },
      BinaryMediaTypes: ['*/*'],
    });
  });

  test('logs access and errors, and never bodies', () => {
    template.hasResourceProperties('AWS::ApiGateway::Stage', {
      StageName: 'api',
      AccessLogSetting: { DestinationArn: Match.anyValue() },
    });
    for (const settings of onlyOf(template, STAGE).MethodSettings) {
      expect(settings).toMatchObject({
        DataTraceEnabled: false,
        LoggingLevel: 'ERROR',
        MetricsEnabled: false,
      });
    }
  });

  test('throttles the whole API, and each public method by itself', () => {
    const administration = ADMINISTRATION.flatMap((path) =>
      ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT'].map((method) => {
        const isServed =
          path === REVOKE ? method === 'POST' : method !== 'OPTIONS' && method !== 'PUT';
        return [`${method} ${path}`, isServed ? '50/100' : '5/10'];
      }),
    );
    const site = SITE.flatMap((path) => [
      [`GET ${path === '/' ? '' : path}`, '50/100'],
      [`HEAD ${path === '/' ? '' : path}`, '50/100'],
    ]);
    const links = ['GET', 'HEAD', 'POST'].map((method) => [`${method} ${LINK}`, '200/400']);
    expect(throttles(template)).toEqual(
      Object.fromEntries([['* *', '1000/500'], ...administration, ...links, ...site]),
    );
  });

  test('throttles revocation apart from every other path of the administration', () => {
    const [revoke, ...others] = [REVOKE, ...ADMINISTRATION.filter((path) => path !== REVOKE)];
    const paths = new Set(routes(template).map(({ path }) => path));
    expect(paths).toContain(revoke);
    expect(throttles(template)[`POST ${revoke}`]).toBe('50/100');
    for (const path of others) expect(throttles(template)).toHaveProperty([`POST ${path}`]);
  });

  test('writes no tokens or query strings into the access log', () => {
    const format: string = onlyOf(template, STAGE).AccessLogSetting.Format;
    expect(JSON.parse(format)).toMatchObject({ request_id: '$context.requestId' });
    expect(format).not.toMatch(/authorizationToken|header|querystring|requestOverride/i);
  });

  test('owns the log group of its execution logs, and makes it before the stage', () => {
    const name = ['API-Gateway-Execution-Logs_', { Ref: logicalId(stack, storage.api.restApi) }];
    const [[id, group] = [], ...others] = Object.entries(
      template.findResources('AWS::Logs::LogGroup', {
        Properties: { LogGroupName: { 'Fn::Join': ['', [...name, '/api']] } },
      }),
    );
    const [stage] = Object.values(template.findResources('AWS::ApiGateway::Stage'));

    expect(others).toEqual([]);
    expect(group).toMatchObject({ DeletionPolicy: 'Retain', Properties: { RetentionInDays: 30 } });
    expect(stage?.DependsOn).toContain(id);
  });

  test('gives each function one permission for all its methods', () => {
    const restApi = JSON.stringify({ Ref: logicalId(stack, storage.api.restApi) });
    const permissions = Object.values(
      template.findResources('AWS::Lambda::Permission', {
        Properties: { Principal: 'apigateway.amazonaws.com' },
      }),
    ).filter(({ Properties }) => JSON.stringify(Properties.SourceArn).includes(restApi));
    const allowed = permissions.map(({ Properties }) => Properties.FunctionName['Fn::GetAtt'][0]);
    const { authorizer, api, download, changes, admin, site } = storage.functions;
    expect(allowed.sort()).toEqual(
      [authorizer, api, download, changes, admin, site]
        .map((fn) => logicalId(stack, fn.function))
        .sort(),
    );
  });
});

describe('responseStreaming: false', () => {
  const { template } = useStorage({ responseStreaming: false });

  test('buffers every response within 29 s, and sets RESPONSE_MODE of the functions', () => {
    for (const { properties } of routes(template)) {
      expect(properties.Integration).toMatchObject({
        ResponseTransferMode: 'BUFFERED',
        TimeoutInMillis: 29_000,
      });
      expect(JSON.stringify(properties.Integration.Uri)).toMatch(
        /lambda:path\/2015-03-31\/functions\/.*\/invocations/,
      );
    }
    const modes = Object.values(template.findResources('AWS::Lambda::Function'))
      .map(({ Properties }) => Properties.Environment.Variables.RESPONSE_MODE)
      .filter((mode) => mode !== undefined);
    expect(modes).toEqual(Array.from({ length: 5 }, () => 'buffered'));
  });
});

describe('apiGatewayLogRole: false', () => {
  const { template } = useStorage({ apiGatewayLogRole: false });

  test('does not change the setting of the account', () => {
    template.resourceCountIs('AWS::ApiGateway::Account', 0);
  });
});
