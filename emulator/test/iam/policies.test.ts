// biome-ignore-all lint/suspicious/noTemplateCurlyInString: placeholders of Fn::Sub and of IAM

import { UserError } from '../../src/errors/user-error';
import type { PolicyStatement } from '../../src/iam/iam';
import { decide, parsePolicy } from '../../src/iam/policies';
import { matchesWildcards } from '../../src/iam/wildcards';

const ROLE = { arn: 'arn:aws:iam::000000000000:role/writer', root: false };
const ROOT = { arn: 'arn:aws:iam::000000000000:root', root: true };
const allow: PolicyStatement = {
  Effect: 'Allow',
  Action: 's3:PutObject',
  Resource: 'arn:aws:s3:::b/*',
};
const deny: PolicyStatement = { ...allow, Effect: 'Deny' };

/** Whether `who` may put b/key with these statements in its own policies and the bucket's. */
function may(
  identity: readonly PolicyStatement[],
  resource: readonly PolicyStatement[] = [],
  context: Record<string, string | string[]> = {},
  who = ROLE,
): boolean {
  return decide(who, [{ Statement: identity }], {
    action: 's3:PutObject',
    resource: 'arn:aws:s3:::b/key',
    context,
    resourcePolicy: { Statement: resource },
  }).allowed;
}

test.each<[string, string, boolean]>([
  ['*', '', true],
  ['*', 'anything', true],
  ['a*c', 'abbc', true],
  ['a*c', 'abbd', false],
  ['a?c', 'abc', true],
  ['a?c', 'ac', false],
  ['*b*b', 'abxb', true],
  ['a', 'ab', false],
  ['', '', true],
  ['a.c', 'abc', false],
  ['x*', '*x', false],
  ['*?', 'a*', true],
  ['a*b', 'a*xb', true],
])('the pattern %j matches the text %j: %s', (pattern, text, expected) => {
  expect(matchesWildcards(pattern, text)).toBe(expected);
});

test('a pattern of many wildcards is matched in linear time', () => {
  const begin = performance.now();
  expect(matchesWildcards(`${'a*'.repeat(50)}b`, 'a'.repeat(10_000))).toBe(false);
  expect(performance.now() - begin).toBeLessThan(2000);
});

describe('a decision', () => {
  const bucketAllows = (principal: unknown): PolicyStatement => ({
    ...allow,
    Principal: principal,
  });
  const bucketDenies = (principal: unknown): PolicyStatement => ({ ...deny, Principal: principal });

  test.each<[string, readonly PolicyStatement[], readonly PolicyStatement[], boolean]>([
    ['denies without a statement', [], [], false],
    ['allows a role whose policy allows', [allow], [], true],
    ['allows a role that the bucket allows', [], [bucketAllows({ AWS: ROLE.arn })], true],
    ['allows every principal when the bucket allows *', [], [bucketAllows('*')], true],
    [
      'denies a role when the bucket allows another role',
      [],
      [bucketAllows({ AWS: ROOT.arn.replace('root', 'role/x') })],
      false,
    ],
    [
      'denies a role when the bucket allows only its account',
      [],
      [bucketAllows({ AWS: ROOT.arn })],
      false,
    ],
    ['denies when the policy of the role allows and denies', [allow, deny], [], false],
    [
      'denies when the policy of the role denies and the bucket allows',
      [deny],
      [bucketAllows('*')],
      false,
    ],
    ['denies when the bucket denies', [allow], [bucketDenies({ AWS: '*' })], false],
    [
      'denies when the bucket denies the account',
      [allow],
      [bucketDenies({ AWS: '000000000000' })],
      false,
    ],
    [
      'allows a role when the bucket denies a service',
      [allow],
      [bucketDenies({ Service: 'x' })],
      true,
    ],
    ['allows a wildcard action in any case', [{ ...allow, Action: 'S3:Put*' }], [], true],
    ['denies another action', [{ ...allow, Action: 's3:GetObject' }], [], false],
    [
      'allows one of several actions',
      [{ ...allow, Action: ['s3:Get*', 's3:PutObject'] }],
      [],
      true,
    ],
    ['denies another resource', [{ ...allow, Resource: 'arn:aws:s3:::b' }], [], false],
    ['denies a resource of another case', [{ ...allow, Resource: 'arn:aws:s3:::B/*' }], [], false],
    [
      'allows by a NotAction that names other actions',
      [{ ...allow, Action: undefined, NotAction: 's3:Get*' }],
      [],
      true,
    ],
    [
      'denies by a NotAction that names this action',
      [{ ...allow, Action: undefined, NotAction: 's3:Put*' }],
      [],
      false,
    ],
    ['denies by a statement without a resource', [{ ...allow, Resource: undefined }], [], false],
  ])('%s', (_, identity, resource, expected) => {
    expect(may(identity, resource)).toBe(expected);
  });

  test('depends on the values, the principal and the resource policy of each request', () => {
    const granted = { ...allow, Condition: { StringEquals: { 's3:x-amz-acl': 'private' } } };
    const own = [granted];
    const withAcl = (acl: string) => may(own, [], { 's3:x-amz-acl': acl });
    expect(['private', 'public-read', 'private'].map(withAcl)).toEqual([true, false, true]);

    const another = { ...ROLE, arn: ROLE.arn.replace('writer', 'reader') };
    const bucket = [bucketAllows({ AWS: ROLE.arn })];
    const by = (who: typeof ROLE) => may([], bucket, {}, who);
    expect([ROLE, another, ROLE].map(by)).toEqual([true, false, true]);
    expect(may([], [bucketDenies({ AWS: ROLE.arn })])).toBe(false);
    expect(may([], bucket)).toBe(true);
  });

  test('allows the developer everything that no bucket denies', () => {
    expect(may([], [], {}, ROOT)).toBe(true);
    expect(may([], [bucketDenies('*')], {}, ROOT)).toBe(false);
  });
});

test.each<[PolicyStatement['Condition'], Record<string, string | string[]>, boolean]>([
  [{ StringEquals: { 's3:X': 'a' } }, { 's3:x': 'a' }, true],
  [{ StringEquals: { 's3:X': ['a', 'b'] } }, { 's3:x': 'b' }, true],
  [{ StringEquals: { 's3:X': 'a' } }, { 's3:x': 'A' }, false],
  [{ StringEquals: { 's3:X': 'a' } }, {}, false],
  [{ StringEqualsIfExists: { 's3:X': 'a' } }, {}, true],
  [{ StringEqualsIfExists: { 's3:X': 'a' } }, { 's3:x': 'b' }, false],
  [{ StringEqualsIgnoreCase: { 's3:X': 'a' } }, { 's3:x': 'A' }, true],
  [{ StringNotEquals: { 's3:X': ['a', 'b'] } }, { 's3:x': 'b' }, false],
  [{ StringNotEquals: { 's3:X': ['a', 'b'] } }, { 's3:x': 'c' }, true],
  [{ StringNotEquals: { 's3:X': 'a' } }, {}, true],
  [{ StringLike: { 's3:X': 'up/*' } }, { 's3:x': 'up/load' }, true],
  [{ StringNotLike: { 's3:X': 'up/*' } }, { 's3:x': 'up/load' }, false],
  [{ ArnLike: { 'aws:SourceArn': 'arn:aws:s3:::*' } }, { 'aws:sourcearn': 'arn:aws:s3:::b' }, true],
  [{ Null: { 's3:if-none-match': 'true' } }, {}, true],
  [{ Null: { 's3:if-none-match': 'true' } }, { 's3:if-none-match': '*' }, false],
  [{ Null: { 's3:if-none-match': 'false' } }, { 's3:if-none-match': '*' }, true],
  [{ Bool: { 'aws:SecureTransport': 'false' } }, {}, false],
  [{ Bool: { 'aws:SecureTransport': 'true' } }, {}, true],
  [{ NumericGreaterThan: { 's3:signatureAge': '1000' } }, { 's3:signatureage': '1001' }, true],
  [{ NumericGreaterThan: { 's3:signatureAge': '1000' } }, { 's3:signatureage': '1000' }, false],
  [{ NumericLessThanEquals: { 's3:max-keys': '10' } }, { 's3:max-keys': '' }, false],
  [{ NumericLessThanEquals: { 's3:max-keys': '10' } }, { 's3:max-keys': 'many' }, false],
  [{ 'ForAllValues:StringLike': { k: ['a*', 'b'] } }, { k: ['ab', 'b'] }, true],
  [{ 'ForAllValues:StringLike': { k: ['a*'] } }, { k: ['ab', 'b'] }, false],
  [{ 'ForAllValues:StringLike': { k: ['a*'] } }, {}, true],
  [{ 'ForAnyValue:StringEquals': { k: ['a'] } }, { k: ['b', 'a'] }, true],
  [{ 'ForAnyValue:StringEquals': { k: ['a'] } }, {}, false],
  [{ StringEquals: { k: 'a', l: 'b' } }, { k: 'a' }, false],
  [{ StringEquals: { k: 'a' }, Null: { l: 'true' } }, { k: 'a', l: 'x' }, false],
])('the condition %j holds for %j: %s', (condition, context, expected) => {
  expect(may([{ ...allow, Condition: condition }], [], context)).toBe(expected);
});

test.each<[string, unknown, string]>([
  [
    'an operator',
    { ...allow, Condition: { DateLessThan: { k: 'x' } } },
    'P.Statement[0].Condition.DateLessThan',
  ],
  ['a quantifier', { ...allow, Condition: { 'ForNone:StringLike': { k: 'x' } } }, 'ForNone'],
  [
    'a condition key',
    { ...allow, Condition: { StringEquals: { 'dynamodb:Attributes': 'x' } } },
    'P.Statement[0].Condition.StringEquals.dynamodb:Attributes',
  ],
  [
    'a policy variable',
    { ...allow, Resource: 'arn:aws:s3:::b/${aws:username}' },
    'Statement[0].Resource',
  ],
  [
    'a variable in a condition',
    { ...allow, Condition: { StringLike: { 's3:prefix': '${aws:x}' } } },
    'StringLike.s3:prefix',
  ],
  ['NotResource', { Effect: 'Allow', Action: '*', NotResource: '*' }, 'NotResource'],
  ['NotPrincipal', { ...allow, NotPrincipal: '*' }, 'NotPrincipal'],
  ['a federated principal', { ...allow, Principal: { Federated: 'x' } }, 'Principal.Federated'],
  ['another effect', { ...allow, Effect: 'Maybe' }, 'Effect'],
  ['actions that are not text', { ...allow, Action: [1] }, 'Action'],
  ['a statement that is not an object', 'Allow', 'Statement[0]'],
])('a policy is refused with the place of the unsupported part: %s', (_, statement, message) => {
  expect(() => parsePolicy({ Statement: [statement] }, 'P')).toThrow(UserError);
  expect(() => parsePolicy({ Statement: [statement] }, 'P')).toThrow(message);
});

test('a policy of a single statement is read as a list of one', () => {
  expect(parsePolicy({ Statement: allow }, 'P')).toEqual({ Statement: [allow] });
});
