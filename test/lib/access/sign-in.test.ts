import { RemovalPolicy } from 'aws-cdk-lib';
import { Match } from 'aws-cdk-lib/assertions';
import { parseEnvironments } from '../../../bin/environments';
import cdkJson from '../../../cdk.json';
import type { OidcIssuer } from '../../../lib';
import { functionProperties, useStorage } from '../synthesize';

const OIDC: OidcIssuer = {
  issuer: 'https://login.example.com/',
  clientId: 'dashboard',
  claim: 'https://example.com/roles',
  value: 'storage-admin',
};

const POOL = 'AWS::Cognito::UserPool';
const CLIENT = 'AWS::Cognito::UserPoolClient';

describe('the user pool of a service with default settings', () => {
  const synthesized = useStorage();
  const { template } = synthesized;
  const { Variables } = functionProperties(synthesized, 'admin').Environment;

  test('does not allow sign-up', () => {
    template.hasResourceProperties(POOL, {
      AdminCreateUserConfig: { AllowAdminCreateUserOnly: true },
    });
  });

  test('requires a strong password and a second factor by app, never by text message', () => {
    template.hasResourceProperties(POOL, {
      MfaConfiguration: 'ON',
      EnabledMfas: ['SOFTWARE_TOKEN_MFA'],
      Policies: {
        PasswordPolicy: {
          MinimumLength: 14,
          RequireLowercase: true,
          RequireUppercase: true,
          RequireNumbers: true,
          RequireSymbols: true,
        },
      },
      SmsConfiguration: Match.absent(),
    });
  });

  test('is protected and retained as the tables are', () => {
    template.hasResource(POOL, {
      DeletionPolicy: 'Retain',
      UpdateReplacePolicy: 'Retain',
      Properties: { DeletionProtection: 'ACTIVE' },
    });
  });

  test('has the dashboard as a public client that uses the authorization code flow alone', () => {
    template.resourceCountIs(CLIENT, 1);
    template.hasResourceProperties(CLIENT, {
      GenerateSecret: false,
      AllowedOAuthFlows: ['code'],
      AllowedOAuthScopes: ['openid', 'email'],
      PreventUserExistenceErrors: 'ENABLED',
      EnableTokenRevocation: true,
      AccessTokenValidity: 60,
      // Only the sign-in page accepts passwords. Without a list Cognito's API would too, by SRP:
      // https://docs.aws.amazon.com/cognito-user-identity-pools/latest/APIReference/API_CreateUserPoolClient.html
      ExplicitAuthFlows: ['ALLOW_REFRESH_TOKEN_AUTH'],
    });
  });

  test('has the group that the function admin requires', () => {
    template.hasResourceProperties('AWS::Cognito::UserPoolGroup', { GroupName: 'stowage-admins' });
    expect(Variables).toMatchObject({
      OIDC_ISSUER: {
        'Fn::Join': [
          '',
          [
            'https://cognito-idp.',
            { Ref: 'AWS::Region' },
            '.',
            { Ref: 'AWS::URLSuffix' },
            '/',
            { Ref: expect.any(String) },
          ],
        ],
      },
      ADMIN_CLAIM: 'cognito:groups',
      ADMIN_CLAIM_VALUE: 'stowage-admins',
    });
    expect(Variables).not.toHaveProperty('OIDC_AUDIENCE');
  });
});

describe('a service that may be destroyed', () => {
  const { template } = useStorage({ removalPolicy: RemovalPolicy.DESTROY });

  test('deletes its user pool with the stack', () => {
    template.hasResource(POOL, {
      DeletionPolicy: 'Delete',
      Properties: { DeletionProtection: 'INACTIVE' },
    });
  });
});

describe('secondFactor: false', () => {
  const { template } = useStorage({ secondFactor: false });

  test('lets people sign in with a password alone', () => {
    template.hasResourceProperties(POOL, {
      MfaConfiguration: 'OFF',
      EnabledMfas: Match.absent(),
    });
  });
});

describe('the setting secondFactor of cdk.json', () => {
  test('is off in dev alone', () => {
    const settings = parseEnvironments(cdkJson.context.environments).map(
      ({ name, props }) => [name, props.storage?.secondFactor] as const,
    );
    expect(Object.fromEntries(settings)).toEqual({
      dev: false,
      staging: undefined,
      production: undefined,
    });
  });
});

describe('dashboardUrls', () => {
  const dashboardUrls = ['https://files.example.com/', 'http://localhost:5173/'];
  const { template } = useStorage({ dashboardUrls });

  test('are the only callback and sign-out URLs', () => {
    template.hasResourceProperties(CLIENT, {
      CallbackURLs: dashboardUrls,
      LogoutURLs: dashboardUrls,
    });
  });
});

describe('oidc', () => {
  const synthesized = useStorage({
    oidc: { ...OIDC, audience: 'https://storage.example.com', scopes: ['openid', 'storage'] },
  });

  test('replaces the user pool', () => {
    for (const type of [POOL, CLIENT, 'AWS::Cognito::UserPoolGroup']) {
      synthesized.template.resourceCountIs(type, 0);
    }
    expect(synthesized.storage.signIn).toBeUndefined();
    expect(functionProperties(synthesized, 'admin').Environment.Variables).toMatchObject({
      OIDC_ISSUER: 'https://login.example.com/',
      OIDC_CLIENT_ID: 'dashboard',
      OIDC_AUDIENCE: 'https://storage.example.com',
      OIDC_SCOPES: 'openid storage',
      ADMIN_CLAIM: 'https://example.com/roles',
      ADMIN_CLAIM_VALUE: 'storage-admin',
    });
  });
});

test('a misspelt setting of oidc is refused with the right one', () => {
  const context = { dev: { oidc: { ...OIDC, isuer: 'x' } } };
  expect(() => parseEnvironments(context)).toThrow(
    'environment dev: oidc.isuer is not a setting; did you mean issuer?',
  );
});
