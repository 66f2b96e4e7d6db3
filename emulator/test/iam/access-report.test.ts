import { AccessRecorder } from '../../src/iam/access-report';
import { grantsOf, withoutGrant } from '../../src/iam/grants';
import type { AccessRequest, PolicyStatement } from '../../src/iam/iam';
import { decide } from '../../src/iam/policies';

const ARN = 'arn:aws:iam::000000000000:role/worker';
const ROLE = { arn: ARN, root: false };
const allow = (
  Action: string | string[],
  Resource: string | string[],
  more: Partial<PolicyStatement> = {},
): PolicyStatement => ({ Effect: 'Allow', Action, Resource, ...more });

/** Returns the report of a role that has the statements as its policy and made the calls. */
function report(
  identity: PolicyStatement[],
  calls: AccessRequest[],
  resources: PolicyStatement[] = [],
) {
  const policies = [{ Statement: identity }];
  const resourcePolicy = { Statement: resources };
  const recorder = new AccessRecorder([
    { role: 'Worker', arn: ARN, identity: policies, resources: [resourcePolicy] },
  ]);
  for (const call of calls) {
    const request = { ...call, resourcePolicy };
    recorder.record(ROLE, request, decide(ROLE, policies, request).allowed);
  }
  const { grants = [], refused = [] } = recorder.report().roles.Worker ?? {};
  const unused = grants.filter(({ neededBy }) => neededBy === undefined);
  return { grants, refused, unused: unused.map(({ action, resource }) => `${action} ${resource}`) };
}

test('each action on each resource is a grant, and names the call that fails without it', () => {
  const statements = [allow(['s3:GetObject', 's3:PutObject'], ['b/x/*', 'b/y/*'])];
  const calls = [
    { action: 's3:GetObject', resource: 'b/x/1' },
    { action: 's3:PutObject', resource: 'b/y/2' },
  ];
  const { grants, unused } = report(statements, calls);
  expect(unused).toEqual(['s3:GetObject b/y/*', 's3:PutObject b/x/*']);
  expect(grants[0]).toEqual({
    action: 's3:GetObject',
    resource: 'b/x/*',
    neededBy: 's3:GetObject b/x/1',
  });
});

test('two grants that allow the same calls are both reported as unused', () => {
  const statements = [allow('s3:GetObject', 'b/*'), allow('s3:Get*', 'b/x/*')];
  const calls = [{ action: 's3:GetObject', resource: 'b/x/1' }];
  expect(report(statements, calls).unused).toEqual(['s3:GetObject b/*', 's3:Get* b/x/*']);
  const wider = [...calls, { action: 's3:GetObject', resource: 'b/y/1' }];
  expect(report(statements, wider).unused).toEqual(['s3:Get* b/x/*']);
});

test('the same grant in several statements is reported once', () => {
  const statements = [allow('s3:GetObject', 'b/*'), allow(['s3:GetObject'], ['b/*', 'c/*'])];
  const calls = [{ action: 's3:GetObject', resource: 'b/x' }];
  expect(report(statements, calls).unused).toEqual(['s3:GetObject c/*']);
});

test('grants under different conditions are reported separately', () => {
  const condition = (keys: string) => ({
    Condition: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [keys] } },
  });
  const statements = [
    allow('dynamodb:GetItem', 't', condition('a*')),
    allow('dynamodb:GetItem', 't', condition('b*')),
  ];
  const context = { 'dynamodb:leadingkeys': ['a1'] };
  const { grants, unused } = report(statements, [
    { action: 'dynamodb:GetItem', resource: 't', context },
  ]);
  expect(unused).toEqual(['dynamodb:GetItem t']);
  expect(grants.map(({ neededBy }) => neededBy)).toEqual(['dynamodb:GetItem t of a1', undefined]);
});

test('a grant in a resource policy is reported only for the role that it names', () => {
  const resources = [
    allow('s3:GetObject', 'b/*', { Principal: { AWS: ARN } }),
    allow('s3:PutObject', 'b/*', { Principal: { AWS: `${ARN}-other` } }),
    { ...allow('s3:*', 'b/*', { Principal: '*' }), Effect: 'Deny' as const, Action: 's3:X' },
  ];
  const calls = [{ action: 's3:GetObject', resource: 'b/x' }];
  expect(report([], calls, resources).grants).toEqual([
    { action: 's3:GetObject', resource: 'b/*', neededBy: 's3:GetObject b/x' },
  ]);
});

test('refused calls are reported once per action and resource, and need no grant', () => {
  const calls = ['b/x', 'b/x', 'b/y'].map((resource) => ({ action: 's3:GetObject', resource }));
  const { refused, unused } = report([allow('s3:GetObject', 'c/*')], calls);
  expect(refused).toEqual(['s3:GetObject b/x', 's3:GetObject b/y']);
  expect(unused).toEqual(['s3:GetObject c/*']);
});

test('calls of other principals, such as the developer, are not recorded', () => {
  const recorder = new AccessRecorder([]);
  recorder.record({ arn: 'other', root: true }, { action: 'a', resource: 'r' }, true);
  expect(recorder.report()).toEqual({ roles: {} });
});

test('removing a grant leaves the other grants of its statement', () => {
  const policy = { Statement: [allow(['a:X', 'a:Y'], ['r', 's'])] };
  const left = withoutGrant(policy, { action: 'a:X', resource: 'r' });
  const may = (action: string, resource: string) =>
    decide(ROLE, [left], { action, resource }).allowed;
  expect([may('a:X', 'r'), may('a:X', 's'), may('a:Y', 'r'), may('a:Y', 's')]).toEqual([
    false,
    true,
    true,
    true,
  ]);
});

test('a statement without Action or Resource is refused', () => {
  const statement: PolicyStatement = { Effect: 'Allow', NotAction: 'a:X', Resource: 'r' };
  expect(() => grantsOf([{ Statement: [statement] }])).toThrow('by Action and Resource');
});
