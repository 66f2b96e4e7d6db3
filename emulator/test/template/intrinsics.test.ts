// biome-ignore-all lint/suspicious/noTemplateCurlyInString: placeholders of Fn::Sub and of IAM

import { UserError } from '../../src/errors/user-error';
import { NO_VALUE, resolve, resolveCondition, type Scope } from '../../src/template/intrinsics';

const scope: Scope = {
  ref: (name) => {
    if (name === 'AWS::NoValue') return NO_VALUE;
    if (name === 'List') return ['a', 'b'];
    if (name === 'AWS::Region') return 'us-east-1';
    if (name === 'Bucket') return 'photos';
    throw new UserError(`no ${name}`);
  },
  attribute: (logicalId, attribute) => `${logicalId}#${attribute}`,
  condition: (name) => name === 'Yes',
  secret: (reference) => (reference === '{{resolve:secretsmanager:own}}' ? 'made up' : undefined),
  mappings: { Regions: { 'us-east-1': { Size: 'big', Zones: ['a', 'b'] } } },
};
const evaluate = (value: unknown) => resolve(value, scope, 'Thing.Property');

test.each<[string, unknown, unknown]>([
  ['a plain value', { a: [1, true, null, 'x'] }, { a: [1, true, null, 'x'] }],
  ['Ref', { Ref: 'Bucket' }, 'photos'],
  ['Ref inside of lists and objects', { a: [{ Ref: 'Bucket' }] }, { a: ['photos'] }],
  ['Fn::GetAtt as list', { 'Fn::GetAtt': ['Table', 'Arn'] }, 'Table#Arn'],
  ['Fn::GetAtt of a nested attribute', { 'Fn::GetAtt': ['S', 'Outputs.X'] }, 'S#Outputs.X'],
  ['Fn::GetAtt as text', { 'Fn::GetAtt': 'Table.Arn' }, 'Table#Arn'],
  ['Fn::Join', { 'Fn::Join': ['-', ['a', { Ref: 'Bucket' }, 1]] }, 'a-photos-1'],
  ['Fn::Join of a list that a Ref returns', { 'Fn::Join': [',', { Ref: 'List' }] }, 'a,b'],
  ['Fn::Join of nothing', { 'Fn::Join': ['-', []] }, ''],
  ['Fn::Select', { 'Fn::Select': [1, ['a', 'b']] }, 'b'],
  ['Fn::Select with a text as index', { 'Fn::Select': ['0', ['a', 'b']] }, 'a'],
  ['Fn::Select of Fn::Split', { 'Fn::Select': [1, { 'Fn::Split': [':', 'arn:aws:s3'] }] }, 'aws'],
  ['Fn::Sub of a reference', { 'Fn::Sub': 'x-${AWS::Region}-${Bucket}' }, 'x-us-east-1-photos'],
  ['Fn::Sub of an attribute', { 'Fn::Sub': '${Table.Arn}/*' }, 'Table#Arn/*'],
  ['Fn::Sub of a literal', { 'Fn::Sub': '${!aws:username}' }, '${aws:username}'],
  [
    'Fn::Sub with own names',
    { 'Fn::Sub': ['${a}-${Bucket}', { a: { Ref: 'AWS::Region' } }] },
    'us-east-1-photos',
  ],
  [
    'Fn::Sub does not look into what it put in',
    { 'Fn::Sub': ['${a}', { a: '${Bucket}' }] },
    '${Bucket}',
  ],
  ['Fn::If, true', { 'Fn::If': ['Yes', 'a', { Ref: 'Missing' }] }, 'a'],
  ['Fn::If, false', { 'Fn::If': ['No', { Ref: 'Missing' }, 'b'] }, 'b'],
  [
    'Fn::If with AWS::NoValue',
    { a: { 'Fn::If': ['No', 1, { Ref: 'AWS::NoValue' }] }, b: 2 },
    { b: 2 },
  ],
  ['AWS::NoValue in a list', [1, { Ref: 'AWS::NoValue' }, 2], [1, 2]],
  ['Fn::FindInMap', { 'Fn::FindInMap': ['Regions', { Ref: 'AWS::Region' }, 'Size'] }, 'big'],
  ['Fn::FindInMap of a list', { 'Fn::FindInMap': ['Regions', 'us-east-1', 'Zones'] }, ['a', 'b']],
  ['a secret of the stack', 'x-{{resolve:secretsmanager:own}}-y', 'x-made up-y'],
  [
    'a secret of the stack in the result of Fn::Join',
    { 'Fn::Join': ['', ['{{resolve:secretsmanager:', 'own', '}}']] },
    'made up',
  ],
  ['Fn::Base64', { 'Fn::Base64': 'hi' }, 'aGk='],
  [
    'an object with two keys, which is no function',
    { Ref: 'Bucket', x: 1 },
    { Ref: 'Bucket', x: 1 },
  ],
])('resolves: %s', (_, value, expected) => {
  expect(evaluate(value)).toEqual(expected);
});

test.each<[string, unknown, string]>([
  [
    'an unknown function',
    { 'Fn::Cidr': [] },
    'Thing.Property: the emulator does not know Fn::Cidr',
  ],
  ['an import', { 'Fn::ImportValue': 'x' }, 'Fn::ImportValue'],
  ['a macro', { 'Fn::Transform': {} }, 'Fn::Transform'],
  ['a function named like a method of objects', { 'Fn::constructor': 1 }, 'Fn::constructor'],
  ['a secret', '{{resolve:secretsmanager:x}}', 'dynamic reference'],
  [
    'a secret in the result of Fn::Join',
    { 'Fn::Join': ['', ['{{resol', 've:ssm:x}}']] },
    'dynamic reference',
  ],
  ['an index outside the list', { 'Fn::Select': [2, ['a', 'b']] }, 'Fn::Select'],
  ['a map without the key', { 'Fn::FindInMap': ['Regions', 'eu', 'Size'] }, 'Regions.eu.Size'],
  [
    'a map named like a method of objects',
    { 'Fn::FindInMap': ['Regions', 'toString', 'name'] },
    'toString',
  ],
  ['joining objects', { 'Fn::Join': ['', [{ a: 1 }]] }, 'not a string'],
  ['arguments that are not a list', { 'Fn::Join': 'x' }, 'not a list'],
])('refuses %s', (_, value, message) => {
  expect(() => evaluate(value)).toThrow(UserError);
  expect(() => evaluate(value)).toThrow(message);
});

test('the error names the place of the refused value', () => {
  const nested = { list: [{ ok: 1 }, { bad: { 'Fn::Cidr': [] } }] };
  expect(() => evaluate(nested)).toThrow('Thing.Property.list[1].bad');
});

test.each<[unknown, boolean]>([
  [{ 'Fn::Equals': ['a', 'a'] }, true],
  [{ 'Fn::Equals': [{ Ref: 'AWS::Region' }, 'eu-west-1'] }, false],
  [{ 'Fn::Not': [{ 'Fn::Equals': ['a', 'b'] }] }, true],
  [{ 'Fn::And': [{ Condition: 'Yes' }, { Condition: 'No' }] }, false],
  [{ 'Fn::And': [{ Condition: 'Yes' }, { Condition: 'Yes' }] }, true],
  [{ 'Fn::Or': [{ Condition: 'No' }, { Condition: 'Yes' }] }, true],
  [{ 'Fn::Or': [{ Condition: 'No' }, { Condition: 'No' }] }, false],
])('evaluates the condition %j', (condition, expected) => {
  expect(resolveCondition(condition, scope, 'Conditions.X')).toBe(expected);
});

test('refuses a value that is not a condition', () => {
  expect(() => resolveCondition({ 'Fn::Contains': [] }, scope, 'Conditions.X')).toThrow(
    'Conditions.X',
  );
});
