import { decide, parseMethodPolicy } from '../../../src/services/rest-api/authorizer/policy';
import { arnParts, matchesArn, parseArnPattern } from '../../../src/services/rest-api/model/arn';

const API = 'arn:aws:execute-api:us-east-1:000000000000:api123';

const statement = (more: Record<string, unknown> = {}) => ({
  Effect: 'Allow',
  Action: 'execute-api:Invoke',
  Resource: `${API}/v1/*/*`,
  ...more,
});
const document = (...statements: unknown[]) => ({ Version: '2012-10-17', Statement: statements });

function decisionOf(policy: unknown, methodArn = `${API}/v1/GET/objects/b/k`) {
  const parsed = parseMethodPolicy(policy);
  return parsed === undefined ? 'unusable' : decide(parsed, methodArn);
}

describe('ARN pattern', () => {
  test.each([
    ['*', true],
    [`${API}/*`, true],
    [`${API}/v1/GET/*`, true],
    [`${API}/v1/*/objects/*`, true],
    [`${API}/v1/GET/objects/?/k`, true],
    ['arn:aws:execute-api:*:*:*/v1/GET/*', true],
    [`${API}/v1/GET/objects/b/k`, true],
    [`${API}/v1/GET/objects/b`, false],
    [`${API}/v1/POST/*`, false],
    [`${API}/v2/*`, false],
    [`${API}`, false],
    // A wildcard does not match across a colon.
    ['arn:*', false],
    ['arn:aws:execute-api:*', false],
    ['arn:aws:execute-api:*:api123/v1/*', false],
    ['arn:aws:s3:us-east-1:000000000000:api123/*', false],
  ])('%s matches: %s', (pattern, expected) => {
    const parsed = parseArnPattern(pattern);
    expect(parsed !== undefined && matchesArn(parsed, arnParts(`${API}/v1/GET/objects/b/k`))).toBe(
      expected,
    );
  });

  test('matches colons and wildcards in the resource part', () => {
    const pattern = parseArnPattern(`${API}/v1/GET/a:b/*`) ?? '*';
    expect(matchesArn(pattern, arnParts(`${API}/v1/GET/a:b/*:c?`))).toBe(true);
    expect(matchesArn(pattern, arnParts(`${API}/v1/GET/a/b:c`))).toBe(false);
  });
});

describe('policy of an authorizer', () => {
  test.each<[string, unknown, string]>([
    ['a matching Allow', document(statement()), 'allow'],
    ['one statement without a list', { Statement: statement() }, 'allow'],
    ['a list of resources', document(statement({ Resource: ['arn:aws:s3:::x', '*'] })), 'allow'],
    [
      'a list of actions',
      document(statement({ Action: ['execute-api:Manage', 'execute-api:*'] })),
      'allow',
    ],
    ['an action in another case', document(statement({ Action: 'Execute-API:invoke' })), 'allow'],
    [
      'a Deny after an Allow',
      document(statement(), statement({ Effect: 'Deny' })),
      'explicit deny',
    ],
    [
      'a Deny before an Allow',
      document(statement({ Effect: 'Deny' }), statement()),
      'explicit deny',
    ],
    [
      'a Deny of another path',
      document(statement(), statement({ Effect: 'Deny', Resource: `${API}/v1/PUT/*` })),
      'allow',
    ],
    [
      'an Allow of another path',
      document(statement({ Resource: `${API}/v1/PUT/*` })),
      'implicit deny',
    ],
    [
      'an Allow of another action',
      document(statement({ Action: 's3:GetObject' })),
      'implicit deny',
    ],
    ['no statement', document(), 'implicit deny'],
    ['a Sid', document(statement({ Sid: 'x' })), 'allow'],
  ])('evaluates %s', (_, policy, expected) => {
    expect(decisionOf(policy)).toBe(expected);
  });

  test.each<[string, unknown]>([
    ['null', null],
    ['a string', 'Allow'],
    ['no Statement', { Version: '2012-10-17' }],
    ['an unknown version', { Version: '2020-01-01', Statement: [] }],
    ['a statement that is not an object', document('x')],
    ['an unknown effect', document(statement({ Effect: 'allow' }))],
    ['no action', document(statement({ Action: undefined }))],
    ['an empty list of resources', document(statement({ Resource: [] }))],
    ['a resource that is not an ARN', document(statement({ Resource: 'api123/*' }))],
    ['a number as resource', document(statement({ Resource: 1 }))],
    [
      'a resource of 513 characters',
      document(statement({ Resource: `${API}/${'x'.repeat(513)}` })),
    ],
    ['a condition', document(statement({ Condition: {} }))],
    ['NotResource', document({ Effect: 'Allow', Action: '*', NotResource: 'x' })],
  ])('%s makes the policy unusable', (_, policy) => {
    expect(decisionOf(policy)).toBe('unusable');
  });
});
