// biome-ignore-all lint/suspicious/noTemplateCurlyInString: placeholders of Fn::Sub and of IAM

import { UserError } from '../../src/errors/user-error';
import { allowAll } from '../../src/iam/allow-all';
import { createStackIam, mayAssume } from '../../src/iam/stack-iam';
import { resolved as stackOf, TRUST } from '../support/template';

const reads = (resource: string) => ({
  Statement: [{ Effect: 'Allow', Action: 's3:GetObject', Resource: resource }],
});

const stack = stackOf({
  Reader: {
    Type: 'AWS::IAM::Role',
    Properties: {
      RoleName: 'reader',
      AssumeRolePolicyDocument: TRUST,
      Policies: [{ PolicyName: 'inline', PolicyDocument: reads('inline') }],
      ManagedPolicyArns: [
        {
          'Fn::Sub':
            'arn:${AWS::Partition}:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole',
        },
        { Ref: 'Managed' },
      ],
    },
  },
  Other: {
    Type: 'AWS::IAM::Role',
    Properties: { RoleName: 'other', AssumeRolePolicyDocument: TRUST },
  },
  Attached: {
    Type: 'AWS::IAM::Policy',
    Properties: { PolicyDocument: reads('attached'), Roles: [{ Ref: 'Reader' }] },
  },
  Managed: { Type: 'AWS::IAM::ManagedPolicy', Properties: { PolicyDocument: reads('managed') } },
});
const iam = createStackIam(stack, 'seed');
const arnOf = (name: string) => `arn:aws:iam::000000000000:role/${name}`;
const principalOf = (name: string) => ({ arn: arnOf(name), root: false });

test.each(['inline', 'attached', 'managed'])(
  'the %s policy of a role applies to it',
  (resource) => {
    const request = { action: 's3:GetObject', resource };
    expect(iam.denial(principalOf('reader'), request)).toBeUndefined();
    expect(iam.denial(principalOf('other'), request)).toBe(
      `User: ${arnOf('other')} is not authorized to perform: s3:GetObject on resource: "${resource}" ` +
        'because no identity-based policy allows the s3:GetObject action',
    );
  },
);

test('the managed policy of Lambda allows a role to write logs only', () => {
  const request = { action: 'logs:PutLogEvents', resource: 'x' };
  expect(iam.denial(principalOf('reader'), request)).toBeUndefined();
  expect(iam.denial(principalOf('reader'), { ...request, action: 's3:PutObject' })).toBeDefined();
});

test('a denial names the kind of policy that denies', () => {
  const statement = { Effect: 'Deny', Action: '*', Resource: '*', Principal: '*' } as const;
  const request = {
    action: 's3:GetObject',
    resource: 'inline',
    resourcePolicy: { Statement: [statement] },
  };
  expect(iam.denial(principalOf('reader'), request)).toContain(
    'explicit deny in a resource-based policy',
  );
});

test('identifies each caller by access key, and derives the keys from the seed', () => {
  const role = iam.credentialsForRole(arnOf('reader'));
  expect(iam.credentials(role.accessKeyId)).toEqual({ ...role, principal: principalOf('reader') });
  expect(iam.credentials(iam.root.accessKeyId)?.principal.root).toBe(true);
  expect(iam.credentials('AKIAOTHER')).toBeUndefined();
  expect(role.sessionToken).toBeDefined();
  expect(iam.root.sessionToken).toBeUndefined();

  expect(createStackIam(stack, 'seed').root).toEqual(iam.root);
  expect(createStackIam(stack, 'another').root).not.toEqual(iam.root);
});

test('credentials with an end have a token that cannot be altered', () => {
  const until = Date.now() + 1000;
  const { accessKeyId, sessionToken = '' } = iam.credentialsForRole(arnOf('reader'), until);
  expect(iam.credentials(accessKeyId, sessionToken)).toMatchObject({ sessionToken, until });
  const later = sessionToken.replace(/^\w+/, (until + 1000).toString(36));
  for (const token of [later, '', 'x', `${sessionToken}x`]) {
    expect(iam.credentials(accessKeyId, token)).not.toHaveProperty('until');
    expect(iam.credentials(accessKeyId, token)?.sessionToken).not.toBe(token);
  }
});

test('a role may be assumed by the services that it trusts only', () => {
  const role = stack.resources.get('Reader');
  if (role === undefined) throw new Error('no role');
  expect(mayAssume(role, 'lambda.amazonaws.com')).toBe(true);
  expect(mayAssume(role, 'ec2.amazonaws.com')).toBe(false);
});

test.each<[string, Record<string, unknown>, string]>([
  [
    'an unknown managed policy of AWS',
    {
      R: {
        Type: 'AWS::IAM::Role',
        Properties: {
          AssumeRolePolicyDocument: TRUST,
          ManagedPolicyArns: ['arn:aws:iam::aws:policy/AdministratorAccess'],
        },
      },
    },
    'R.ManagedPolicyArns',
  ],
  [
    'a policy for a role that does not exist',
    {
      P: {
        Type: 'AWS::IAM::Policy',
        Properties: { PolicyDocument: reads('x'), Roles: ['missing'] },
      },
    },
    'P.Roles',
  ],
])('refuses %s', (_, resources, message) => {
  expect(() => createStackIam(stackOf(resources), 's')).toThrow(UserError);
  expect(() => createStackIam(stackOf(resources), 's')).toThrow(message);
});

test('the developer is the only caller without a stack', () => {
  const alone = allowAll();
  const caller = alone.credentials(alone.root.accessKeyId);
  if (caller === undefined) throw new Error('no developer');
  expect(alone.denial(caller.principal, { action: 's3:PutObject', resource: 'x' })).toBeUndefined();
  expect(() => alone.credentialsForRole('x')).toThrow('no role');
});
