import { readFileSync } from 'node:fs';
import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import * as iam from 'aws-cdk-lib/aws-iam';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import { ObjectStorage } from '../../../lib';
import {
  logicalId,
  type Synthesized,
  useApp,
  useBundles,
  useStorage,
  violations,
} from '../synthesize';

const ALL = ['*'];

function useFunction(stack: Stack, id: string): lambda.Function {
  return new lambda.Function(stack, id, {
    runtime: lambda.Runtime.NODEJS_24_X,
    handler: 'index.handler',
    code: lambda.Code.fromInline('exports.handler = async () => 1'),
  });
}

const bundles = useBundles();
const app = useApp();
let stacks = 0;

/** A new storage whose template is not synthesized, for calls that throw at once. */
function storageIn(stack = new Stack(app, `test-${stacks++}`)) {
  return { stack, storage: new ObjectStorage(stack, 'Storage', { bundles }) };
}

const internal = ({ template }: Synthesized) => {
  const functions = Object.entries(template.findResources('AWS::Lambda::Function'));
  const [id, found] = functions.find(([one]) => one.startsWith('StorageAccess')) ?? [];
  if (id === undefined || found === undefined) throw new Error('there is no internal function');
  return { id, properties: found.Properties };
};
const grantsIn = (synthesized: Synthesized): Record<string, unknown> =>
  JSON.parse(internal(synthesized).properties.Environment.Variables.GRANTS);
const aliasesIn = ({ template }: Synthesized) => template.findResources('AWS::Lambda::Alias');

/** Returns what a role may invoke. */
function invocable({ template, stack }: Synthesized, role: iam.IRole): unknown[] {
  const roles = JSON.stringify([{ Ref: logicalId(stack, role) }]);
  return Object.values(template.findResources('AWS::IAM::Policy'))
    .filter(({ Properties }) => JSON.stringify(Properties.Roles) === roles)
    .flatMap(({ Properties }) => Properties.PolicyDocument.Statement)
    .filter(({ Action }) => Action === 'lambda:InvokeFunction')
    .flatMap(({ Resource }) => Resource);
}

/** Returns what a role may do, except writing its log: action, resource and condition of each. */
function allowedTo({ template }: Synthesized, role: string): string[] {
  return Object.values(template.findResources('AWS::IAM::Policy'))
    .filter(({ Properties }) => Properties.Roles[0].Ref?.startsWith(role))
    .flatMap(({ Properties }) => Properties.PolicyDocument.Statement)
    .flatMap(({ Action, Resource, Condition }) =>
      [Action]
        .flat()
        .flatMap((action: string) =>
          [Resource].flat().map((one) => `${action} ${JSON.stringify([one, Condition])}`),
        ),
    )
    .filter((line) => !line.startsWith('logs:'));
}

function roleOf(fn: lambda.Function): iam.IRole {
  if (fn.role === undefined) throw new Error('the function has no role');
  return fn.role;
}

describe('a service without grants', () => {
  const { template } = useStorage();

  test('has neither the function nor an alias', () => {
    template.resourceCountIs('AWS::Lambda::Alias', 0);
    expect(JSON.stringify(template.toJSON())).not.toContain('StorageAccess');
  });
});

const watched = useStorage({ alarms: true }, (storage, stack) => {
  storage.grantRead(new iam.User(stack, 'User'));
});

describe('grants', () => {
  let resizer: lambda.Function | undefined;
  let backup: lambda.Function | undefined;
  const synthesized = useStorage({}, (storage, stack) => {
    resizer = useFunction(stack, 'Resizer');
    backup = useFunction(stack, 'Backup');
    storage.grantRead(resizer, { buckets: ['photos', 'public-*'] });
    storage.grantWrite(resizer, { buckets: ['thumbnails'], prefix: 'small/' });
    storage.grantSync(resizer, { buckets: ['public-*', 'photos'] });
    storage.grantRead(backup);
    storage.grantManageBuckets(backup, { buckets: ['backup-*'] });
    resizer.addEnvironment('STOWAGE_FUNCTION', storage.accessArn(resizer));
  });
  if (!resizer || !backup) throw new Error('not made');
  const users = { resizer, backup };

  test('of one principal add up under one alias, each for its buckets', () => {
    expect(Object.values(grantsIn(synthesized))).toEqual([
      [
        { buckets: ['thumbnails'], prefix: 'small/', actions: ['write', 'delete', 'sign'] },
        { buckets: ['photos', 'public-*'], actions: ['read', 'list', 'sign', 'sync'] },
      ],
      [
        { buckets: ALL, actions: ['read', 'list', 'sign'] },
        { buckets: ['backup-*'], actions: ['create_bucket', 'delete_bucket'] },
      ],
    ]);
  });

  test('let each principal invoke its own alias of the latest version, and nothing else', () => {
    const aliases = Object.entries(aliasesIn(synthesized));
    expect(aliases.map(([, { Properties }]) => Properties.Name)).toEqual(
      Object.keys(grantsIn(synthesized)),
    );
    for (const [, { Properties }] of aliases) {
      expect(Properties).toMatchObject({
        FunctionName: { Ref: internal(synthesized).id },
        FunctionVersion: '$LATEST',
        Name: expect.stringMatching(/^test-(Resizer|Backup)-ServiceRole-[0-9A-F]{8}$/),
      });
    }
    const [first, second] = aliases.map(([id]) => ({ Ref: id }));
    expect(invocable(synthesized, roleOf(users.resizer))).toEqual([first]);
    expect(invocable(synthesized, roleOf(users.backup))).toEqual([second]);
    const { template, stack } = synthesized;
    const { Properties } = template.toJSON().Resources[logicalId(stack, users.resizer)] ?? {};
    expect(Properties.Environment.Variables).toEqual({ STOWAGE_FUNCTION: first });
  });

  test('allow no other principal to invoke the function', () => {
    const { id } = internal(synthesized);
    const { template } = synthesized;
    const permissions = JSON.stringify(template.findResources('AWS::Lambda::Permission'));
    expect(permissions).not.toContain(id);
    template.resourceCountIs('AWS::Lambda::Url', 0);
  });

  test('give the function what the operations need, and neither API keys, limits, channels nor links', () => {
    const own = allowedTo(synthesized, 'StorageAccessInternalRole');
    const api = allowedTo(synthesized, 'StorageFunctionsApiRole');
    expect(own.length).toBeGreaterThan(20);
    expect(own.filter((text) => !api.includes(text))).toEqual([]);
    expect(api.filter((text) => !own.includes(text))).toEqual([
      expect.stringMatching(/^dynamodb:UpdateItem .*StorageTablesRates/),
      expect.stringMatching(/^dynamodb:GetItem .*StorageTablesApiKeys/),
      expect.stringMatching(/^dynamodb:PutItem .*StorageTablesSubscriptions.*ticket#\*/),
      ...['DeleteItem', 'GetItem', 'PutItem', 'Query'].map((action) =>
        expect.stringMatching(new RegExp(`^dynamodb:${action} .*StorageTablesLinks`)),
      ),
    ]);
    expect(Object.keys(internal(synthesized).properties.Environment.Variables).sort()).toEqual([
      'BUCKETS_TABLE',
      'CHANGES_TABLE',
      'CONTENT_BUCKET',
      'GRANTS',
      'METRICS',
      'METRICS_NAMESPACE',
      'OBJECTS_TABLE',
      'UPLOADS_TABLE',
    ]);
  });
});

test('an error of the function and a missing blob raise alarms', () => {
  const { id } = internal(watched);
  const { template } = watched;
  template.hasResourceProperties('AWS::CloudWatch::Alarm', {
    AlarmDescription: 'docs/runbook.md#internal-errors',
    Dimensions: [{ Name: 'FunctionName', Value: { Ref: id } }],
    MetricName: 'Errors',
    Threshold: 1,
  });
  expect(readFileSync('docs/runbook.md', 'utf8')).toContain('\n## internal-errors\n');
  const MetricTransformations = [{ MetricName: 'BlobMissing' }];
  const counted = template.findResources('AWS::Logs::MetricFilter', {
    Properties: { MetricTransformations },
  });
  expect(Object.keys(counted)).toHaveLength(4);
});

describe('principals', () => {
  const synthesized = useStorage({}, (storage, stack) => {
    const shared = new iam.Role(stack, 'Shared', {
      assumedBy: new iam.ServicePrincipal('lambda.amazonaws.com'),
    });
    const code = lambda.Code.fromInline('exports.handler = async () => 1');
    const settings = { runtime: lambda.Runtime.NODEJS_24_X, handler: 'index.handler', code };
    for (const id of ['One', 'Two']) {
      storage.grantRead(new lambda.Function(stack, id, { ...settings, role: shared }));
    }
    storage.grantWrite(shared);
    storage.grantRead(new iam.User(stack, 'User'));
    storage.grantRead(new iam.Group(stack, 'Group'));
    storage.grantSync(new iam.ManagedPolicy(stack, 'Policy', { roles: [shared] }));
    storage.grantRead(iam.Role.fromRoleName(stack, 'Elsewhere', 'elsewhere'));
    const other = new Stack(stack.node.root as never, 'other');
    storage.grantRead(useFunction(other, 'Foreign'));
  });

  test('may be roles, users, groups, policies, imported roles and those of other stacks', () => {
    const names = Object.keys(grantsIn(synthesized)).map((name) => name.replace(/-[0-9A-F]+$/, ''));
    expect(names).toEqual([
      'test-Shared',
      'test-User',
      'test-Group',
      'test-Policy',
      'test-Elsewhere',
      'other-Foreign-ServiceRole',
    ]);
  });

  test('that share a role share its alias', () => {
    const [shared] = Object.values(grantsIn(synthesized));
    expect(shared).toEqual([
      { buckets: ALL, actions: ['read', 'list', 'sign', 'write', 'delete'] },
    ]);
  });
});

test.each<[string, object, RegExp]>([
  [
    'no bucket',
    { buckets: [] },
    /^buckets must name 1 to 50 buckets, got 0: leave it out for all$/,
  ],
  ['a name with a slash', { buckets: ['a/b'] }, /^buckets must be names such as photos/],
  ['a star within', { buckets: ['a*b'] }, /^buckets must be names such as photos/],
  ['capitals', { buckets: ['Photos'] }, /got 'Photos'$/],
  ['an empty prefix', { prefix: '' }, /^prefix must be 1 to 900 bytes/],
  ['a long prefix', { prefix: 'ä'.repeat(451) }, /^prefix must be 1 to 900 bytes/],
])('%s is refused', (_what, options, message) => {
  const { stack, storage } = storageIn();
  expect(() => storage.grantRead(new iam.User(stack, 'User'), options)).toThrow(message);
});

test('a grant refuses a bucket name that is not known before deployment', () => {
  const { stack, storage } = storageIn();
  const buckets = [storage.content.bucket.bucketName];
  const grant = () => storage.grantRead(new iam.User(stack, 'User'), { buckets });
  expect(grant).toThrow(
    /^buckets must be known at synthesis, because they are buckets of this service/,
  );
});

test('a grant refuses a principal that is not a construct, and accessArn one without a grant', () => {
  const { stack, storage } = storageIn();
  const arn = new iam.ArnPrincipal('arn:aws:iam::123456789012:role/someone');
  expect(() => storage.grantRead(arn)).toThrow(/iam\.Role\.fromRoleArn/);
  const user = new iam.User(stack, 'User');
  expect(() => storage.accessArn(user)).toThrow(/call grantRead, grantWrite or grantSync first$/);
});

test('a grant refuses a principal of another account', () => {
  const account = '111111111111';
  const { stack, storage } = storageIn(
    new Stack(app, `test-${stacks++}`, { env: { account, region: 'eu-west-1' } }),
  );
  const role = (id: string, of: string) =>
    iam.Role.fromRoleArn(stack, id, `arn:aws:iam::${of}:role/reports`);
  expect(() => storage.grantRead(role('Theirs', '222222222222'))).toThrow(/assume a role of 111/);
  expect(storage.grantRead(role('Ours', account)).success).toBe(true);
});

const crowded = new Stack(useApp(), 'crowded');

test('synthesis fails when the grants do not fit a variable', () => {
  const { storage } = storageIn(crowded);
  for (let n = 0; n < 40; n++) storage.grantRead(new iam.User(crowded, `User${n}`));
  expect(() => Template.fromStack(crowded)).toThrow(/40 principals must take at most 3000 bytes/);
});

test('a principal gets at most as many grants as an API key has permissions', () => {
  const { stack, storage } = storageIn();
  const user = new iam.User(stack, 'User');
  for (let n = 0; n < 50; n++) storage.grantRead(user, { prefix: `${n}/` });
  expect(() => storage.grantRead(user, { prefix: 'more/' })).toThrow(/at most 50 grants/);
});

test('cdk-nag finds nothing in the resources of a grant', () => {
  const { root } = watched.stack.node;
  if (!(root instanceof App)) throw new Error('the root is no app');
  const ours = violations(root).filter(([, paths]) =>
    paths.some((one) => one?.startsWith('test/Storage/Access/') || one?.startsWith('test/User/')),
  );
  expect(ours.map(([rule]) => rule)).toEqual([]);
});
