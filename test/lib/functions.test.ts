import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ENV } from '../../lambdas/env';
import type { FunctionName } from '../../lib';
import { logicalId, useStorage } from './synthesize';

const FUNCTIONS = ['authorizer', 'api', 'download', 'ingest', 'fanout', 'janitor'] as const;

interface Statement {
  readonly Effect: string;
  readonly Action: string | readonly string[];
  readonly Resource: unknown;
  readonly Condition?: unknown;
}

const { stack, storage, template } = useStorage();
const resources = template.toJSON().Resources;

const functionOf = (name: FunctionName) =>
  resources[logicalId(stack, storage.functions[name].function)].Properties;

/** Logical ids are for machines: `Objects`, `content/uploads/*` are for readers. */
const NAMES = new Map<string, string>([
  ...(['buckets', 'objects', 'changes', 'uploads', 'apiKeys', 'subscriptions'] as const).map(
    (name): [string, string] => [logicalId(stack, storage.tables[name]), name],
  ),
  [logicalId(stack, storage.content.bucket), 'content'],
  ...FUNCTIONS.map((name): [string, string] => [
    logicalId(stack, storage.functions[name].logGroup),
    'own log group',
  ]),
]);

/** `{Fn::GetAtt: [Id, Arn]}` -> its name; `Fn::Join` of it -> name and rest. Anything else is shown as it is. */
function nameOf(resource: unknown): string {
  const text = JSON.stringify(resource);
  const [, id, attribute, rest] =
    /^(?:\{"Fn::Join":\["",\[)?\{"Fn::GetAtt":\["(\w+)","(\w+)"\]\}(?:,"([^"]*)"\]\]\})?$/.exec(
      text,
    ) ?? [];
  const name = NAMES.get(id ?? '');
  if (name === undefined) return text;
  return `${name}${attribute === 'Arn' ? '' : ` ${attribute}`}${rest ?? ''}`;
}

/** What a function may do, by resource. */
function grantsOf(name: FunctionName): Readonly<Record<string, readonly string[]>> {
  const roleId = logicalId(stack, storage.functions[name].role);
  const policies = Object.values(template.findResources('AWS::IAM::Policy')).filter(
    ({ Properties }) => JSON.stringify(Properties.Roles) === JSON.stringify([{ Ref: roleId }]),
  );
  const grants = new Map<string, string[]>();
  for (const statement of policies.flatMap(
    ({ Properties }): Statement[] => Properties.PolicyDocument.Statement,
  )) {
    expect(statement).toMatchObject({ Effect: 'Allow' });
    expect(statement).not.toHaveProperty('Condition');
    for (const resource of [statement.Resource].flat()) {
      const actions = [statement.Action].flat() as string[];
      grants.set(nameOf(resource), [...(grants.get(nameOf(resource)) ?? []), ...actions].sort());
    }
  }
  return Object.fromEntries(grants);
}

const LOGS = ['logs:CreateLogStream', 'logs:PutLogEvents'];

/** The very actions that the adapters' commands need; a new one has to be added here with open eyes. */
const GRANTS: Readonly<Record<FunctionName, Readonly<Record<string, readonly string[]>>>> = {
  authorizer: {
    'own log group': LOGS,
    apiKeys: ['dynamodb:GetItem'],
  },
  api: {
    'own log group': LOGS,
    buckets: [
      'dynamodb:BatchGetItem',
      'dynamodb:DeleteItem',
      'dynamodb:GetItem',
      'dynamodb:PutItem',
      'dynamodb:Query',
      'dynamodb:UpdateItem',
    ],
    objects: ['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:Query'],
    changes: ['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:Query'],
    uploads: ['dynamodb:GetItem', 'dynamodb:PutItem'],
    content: ['s3:ListBucket'],
    'content/objects/*': ['s3:DeleteObject', 's3:GetObject', 's3:PutObject'],
    'content/uploads/*': ['s3:AbortMultipartUpload', 's3:GetObject', 's3:PutObject'],
  },
  download: {
    'own log group': LOGS,
    buckets: ['dynamodb:GetItem'],
    objects: ['dynamodb:GetItem'],
    changes: ['dynamodb:GetItem'],
    content: ['s3:ListBucket'],
    'content/objects/*': ['s3:GetObject'],
    'content/uploads/*': ['s3:GetObject'],
  },
  ingest: {
    'own log group': LOGS,
    buckets: ['dynamodb:GetItem', 'dynamodb:UpdateItem'],
    objects: ['dynamodb:GetItem', 'dynamodb:PutItem'],
    changes: ['dynamodb:PutItem'],
    uploads: ['dynamodb:GetItem', 'dynamodb:UpdateItem'],
  },
  fanout: {
    'own log group': LOGS,
    'changes StreamArn': [
      'dynamodb:DescribeStream',
      'dynamodb:GetRecords',
      'dynamodb:GetShardIterator',
      'dynamodb:ListStreams',
    ],
    buckets: ['dynamodb:GetItem', 'dynamodb:UpdateItem'],
    objects: ['dynamodb:DeleteItem'],
    changes: ['dynamodb:BatchWriteItem', 'dynamodb:PutItem', 'dynamodb:Query'],
    'content/objects/*': ['s3:DeleteObject'],
    'content/uploads/*': ['s3:DeleteObject'],
  },
  janitor: {
    'own log group': LOGS,
    buckets: [
      'dynamodb:BatchGetItem',
      'dynamodb:DeleteItem',
      'dynamodb:GetItem',
      'dynamodb:PutItem',
      'dynamodb:Query',
      'dynamodb:UpdateItem',
    ],
    objects: [
      'dynamodb:BatchGetItem',
      'dynamodb:DeleteItem',
      'dynamodb:GetItem',
      'dynamodb:PutItem',
      'dynamodb:Query',
    ],
    changes: ['dynamodb:BatchWriteItem', 'dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:Query'],
    uploads: ['dynamodb:GetItem', 'dynamodb:Scan', 'dynamodb:UpdateItem'],
    content: ['s3:ListBucket'],
    'content/objects/*': ['s3:DeleteObject', 's3:GetObject'],
    'content/uploads/*': ['s3:AbortMultipartUpload', 's3:DeleteObject', 's3:GetObject'],
  },
};

test.each(FUNCTIONS)('%s may do exactly what its code does', (name) => {
  expect(grantsOf(name)).toEqual(GRANTS[name]);
});

test('roles have no managed policies, and only Lambda may assume them', () => {
  for (const name of FUNCTIONS) {
    const role = resources[logicalId(stack, storage.functions[name].role)].Properties;
    expect(Object.keys(role)).toEqual(['AssumeRolePolicyDocument']);
    expect(role.AssumeRolePolicyDocument.Statement).toEqual([
      {
        Effect: 'Allow',
        Action: 'sts:AssumeRole',
        Principal: { Service: 'lambda.amazonaws.com' },
      },
    ]);
  }
});

test.each(FUNCTIONS)('%s gets exactly the variables that its handler requires', (name) => {
  const handler = path.join(__dirname, '../../lambdas', name, 'handler.ts');
  const required = [...readFileSync(handler, 'utf8').matchAll(/requireEnv\(ENV\.(\w+)\)/g)].map(
    ([, key]) => ENV[key as keyof typeof ENV],
  );
  expect(required.length).toBeGreaterThan(0);
  const given = functionOf(name).Environment.Variables;
  expect(Object.keys(given).sort()).toEqual([...new Set(required)].sort());
});

test('every function runs its bundle on arm64 with the current runtime, logging where retention is set', () => {
  for (const name of FUNCTIONS) {
    expect(functionOf(name)).toMatchObject({
      Handler: 'index.handler',
      Runtime: 'nodejs24.x',
      Architectures: ['arm64'],
      LoggingConfig: { LogGroup: { Ref: logicalId(stack, storage.functions[name].logGroup) } },
    });
  }
  template.allResourcesProperties('AWS::Logs::LogGroup', { RetentionInDays: 30 });
  const keys = FUNCTIONS.map((name) => functionOf(name).Code.S3Key);
  expect(new Set(keys).size).toBe(FUNCTIONS.length);
});

test('the stream wakes fanout from its beginning, for new entries only, and a bad batch blocks nobody', () => {
  template.hasResourceProperties('AWS::Lambda::EventSourceMapping', {
    EventSourceArn: { 'Fn::GetAtt': [logicalId(stack, storage.tables.changes), 'StreamArn'] },
    FunctionName: { Ref: logicalId(stack, storage.functions.fanout.function) },
    StartingPosition: 'TRIM_HORIZON',
    BisectBatchOnFunctionError: true,
    FunctionResponseTypes: ['ReportBatchItemFailures'],
    MaximumRetryAttempts: 5,
    MaximumRecordAgeInSeconds: 3600,
    FilterCriteria: { Filters: [{ Pattern: '{"eventName":["INSERT"]}' }] },
  });
});
