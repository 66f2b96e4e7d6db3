import { readRestApi } from '../../../src/services/rest-api/model/model';
import {
  BASE,
  CUSTOM,
  changed,
  method,
  permission,
  resource,
  STREAM,
  sourceArn,
  stackOf,
} from '../stack';
import { openMethod, read, refusal } from './model-changes';

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
