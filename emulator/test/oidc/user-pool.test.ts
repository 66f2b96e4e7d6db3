import { userPoolOf } from '../../src/services/oidc/user-pool';
import type { ResolvedResource, ResolvedStack } from '../../src/template/model';

type Parts = readonly (readonly [string, string, Record<string, unknown>?])[];

function stackOf(parts: Parts): ResolvedStack {
  const resources = parts.map(([type, physicalId, properties = {}], index): ResolvedResource => {
    const logicalId = `R${index}`;
    return { logicalId, type: `AWS::Cognito::${type}`, properties, physicalId, dependsOn: [] };
  });
  return {
    stackName: 'test',
    region: 'eu-west-1',
    accountId: '000000000000',
    resources: new Map(resources.map((resource) => [resource.logicalId, resource])),
    outputs: {},
    assetPath: (key) => key,
  };
}

const CLIENT = {
  AllowedOAuthFlows: ['code'],
  AllowedOAuthScopes: ['openid'],
  CallbackURLs: ['https://files.example.com/'],
};

test('userPoolOf returns undefined for a stack without a pool', () => {
  expect(userPoolOf(stackOf([]))).toBeUndefined();
});

test('userPoolOf returns clients, groups and domain, and durations in seconds', () => {
  const pool = userPoolOf(
    stackOf([
      ['UserPool', 'eu-west-1_abc'],
      ['UserPoolDomain', 'files'],
      ['UserPoolGroup', 'admins', { GroupName: 'admins' }],
      [
        'UserPoolClient',
        'client',
        {
          ...CLIENT,
          AccessTokenValidity: 30,
          TokenValidityUnits: { AccessToken: 'minutes' },
        },
      ],
    ]),
  );
  expect(pool).toEqual({
    issuer: 'https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_abc',
    domain: 'https://files.auth.eu-west-1.amazoncognito.com',
    groups: ['admins'],
    clients: [
      {
        id: 'client',
        callbackUrls: ['https://files.example.com/'],
        logoutUrls: [],
        scopes: ['openid'],
        accessTokenSeconds: 1800,
        refreshTokenSeconds: 30 * 86_400,
        revocation: true,
      },
    ],
  });
});

test('userPoolOf refuses two pools', () => {
  const pools = ['a', 'b'].map((id) => ['UserPool', id] as const);
  expect(() => userPoolOf(stackOf(pools))).toThrow('one user pool');
});

test.each([
  ['a secret', { GenerateSecret: true }, 'only public clients with the flow code'],
  ['the implicit flow', { AllowedOAuthFlows: ['implicit'] }, 'only public clients with the flow'],
  ['a lifetime of 0', { AccessTokenValidity: 0 }, 'AccessTokenValidity: 0 hours is not a duration'],
])('userPoolOf refuses a client with %s', (_name, properties, message) => {
  const client = ['UserPoolClient', 'c', { ...CLIENT, ...properties }] as const;
  expect(() => userPoolOf(stackOf([['UserPool', 'a'], client]))).toThrow(message);
});
