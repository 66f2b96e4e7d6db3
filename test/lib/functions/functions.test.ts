import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Match } from 'aws-cdk-lib/assertions';
import { ENV } from '../../../lambdas/shared/env';
import {
  FUNCTION_NAMES as FUNCTIONS,
  type FunctionName,
} from '../../../lib/functions/service-function';
import { logicalId, useStorage } from '../synthesize';

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
  ...(
    [
      'buckets',
      'objects',
      'changes',
      'uploads',
      'apiKeys',
      'audit',
      'rates',
      'subscriptions',
    ] as const
  ).map((name): [string, string] => [logicalId(stack, storage.tables[name]), name]),
  [logicalId(stack, storage.content.bucket), 'content'],
  [logicalId(stack, storage.queues.deferredTasks), 'followUps'],
  [logicalId(stack, storage.queues.undelivered), 'undelivered'],
  ...FUNCTIONS.map((name): [string, string] => [
    logicalId(stack, storage.functions[name].logGroup),
    'own log group',
  ]),
]);

/**
 * `arn:…:execute-api:…:{api}/sync/POST/@connections/*` of the WebSocket API ->
 * `sync/POST/@connections/*`.
 */
function connectionsOf(resource: unknown): string | undefined {
  const { webSocketApi } = storage.channelApi;
  const arn = JSON.stringify(stack.resolve(webSocketApi.arnForExecuteApiV2('route', 'sync')));
  const [before, after] = arn.split('/sync/route');
  const text = JSON.stringify(resource);
  if (before === undefined || after === undefined) throw new Error(`not an ARN: ${arn}`);
  if (!text.startsWith(before) || !text.endsWith(after)) return undefined;
  return text.slice(before.length + 1, -after.length);
}

/**
 * `{Fn::GetAtt: [Id, Arn]}` -> its name; `Fn::Join` of it -> name and rest. Anything else is shown
 * as it is.
 */
function nameOf(resource: unknown): string {
  const text = JSON.stringify(resource);
  const [, id, attribute, rest] =
    /^(?:\{"Fn::Join":\["",\[)?\{"Fn::GetAtt":\["(\w+)","(\w+)"\]\}(?:,"([^"]*)"\]\]\})?$/.exec(
      text,
    ) ?? [];
  const name = NAMES.get(id ?? '');
  if (name === undefined) return connectionsOf(resource) ?? text;
  return `${name}${attribute === 'Arn' ? '' : ` ${attribute}`}${rest ?? ''}`;
}

/**
 * ` of ticket#*`: the items of a table that a statement is about; nothing when it is about all. Any
 * other condition is shown as it is.
 */
function itemsOf({ Condition: condition }: Statement): string {
  if (condition === undefined) return '';
  const text = JSON.stringify(condition);
  const [, not, keys] =
    /^\{"ForAllValues:String(Not)?Like":\{"dynamodb:LeadingKeys":\["([^"]+)"\]\}\}$/.exec(text) ??
    [];
  return keys === undefined ? text : ` ${not ? 'but' : 'of'} ${keys}`;
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
    for (const resource of [statement.Resource].flat()) {
      const place = `${nameOf(resource)}${itemsOf(statement)}`;
      const actions = [statement.Action].flat() as string[];
      grants.set(place, [...new Set([...(grants.get(place) ?? []), ...actions])].sort());
    }
  }
  return Object.fromEntries(grants);
}

const LOGS = ['logs:CreateLogStream', 'logs:PutLogEvents'];
const STREAM = [
  'dynamodb:DescribeStream',
  'dynamodb:GetRecords',
  'dynamodb:GetShardIterator',
  'dynamodb:ListStreams',
];
const MANAGE = ['execute-api:ManageConnections'];

/**
 * The very actions that the adapters' commands need; a new one has to be added here with open eyes.
 */
const GRANTS: Readonly<Record<FunctionName, Readonly<Record<string, readonly string[]>>>> = {
  authorizer: {
    'own log group': LOGS,
    apiKeys: ['dynamodb:GetItem'],
  },
  api: {
    'own log group': LOGS,
    apiKeys: ['dynamodb:GetItem'],
    rates: ['dynamodb:UpdateItem'],
    buckets: ['dynamodb:DeleteItem', 'dynamodb:PutItem'],
    'buckets of #*': ['dynamodb:GetItem', 'dynamodb:Query'],
    'buckets but #*': ['dynamodb:BatchGetItem', 'dynamodb:GetItem', 'dynamodb:UpdateItem'],
    objects: ['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:Query'],
    changes: ['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:Query'],
    uploads: ['dynamodb:GetItem', 'dynamodb:PutItem'],
    'subscriptions of ticket#*': ['dynamodb:PutItem'],
    content: ['s3:ListBucket'],
    'content/objects/*': ['s3:DeleteObject', 's3:GetObject', 's3:PutObject'],
    'content/uploads/*': ['s3:AbortMultipartUpload', 's3:GetObject', 's3:PutObject'],
  },
  download: {
    'own log group': LOGS,
    apiKeys: ['dynamodb:GetItem'],
    rates: ['dynamodb:UpdateItem'],
    'buckets but #*': ['dynamodb:GetItem'],
    objects: ['dynamodb:GetItem'],
    changes: ['dynamodb:GetItem'],
    content: ['s3:ListBucket'],
    'content/objects/*': ['s3:GetObject'],
    'content/uploads/*': ['s3:GetObject'],
  },
  channel: {
    'own log group': LOGS,
    apiKeys: ['dynamodb:GetItem'],
    rates: ['dynamodb:UpdateItem'],
    'buckets but #*': ['dynamodb:GetItem'],
    changes: ['dynamodb:PutItem', 'dynamodb:Query'],
    subscriptions: [
      'dynamodb:BatchWriteItem',
      'dynamodb:DeleteItem',
      'dynamodb:GetItem',
      'dynamodb:PutItem',
      'dynamodb:UpdateItem',
    ],
    followUps: ['sqs:SendMessage'],
    'sync/POST/@connections/*': MANAGE,
    'sync/DELETE/@connections/*': MANAGE,
  },
  ingest: {
    'own log group': LOGS,
    'buckets but #*': ['dynamodb:GetItem', 'dynamodb:UpdateItem'],
    objects: ['dynamodb:GetItem', 'dynamodb:PutItem'],
    changes: ['dynamodb:PutItem'],
    uploads: ['dynamodb:GetItem', 'dynamodb:UpdateItem'],
  },
  fanout: {
    'own log group': LOGS,
    'changes StreamArn': STREAM,
    apiKeys: ['dynamodb:GetItem'],
    'buckets but #*': ['dynamodb:GetItem', 'dynamodb:UpdateItem'],
    objects: ['dynamodb:DeleteItem'],
    changes: ['dynamodb:BatchWriteItem', 'dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:Query'],
    subscriptions: [
      'dynamodb:BatchWriteItem',
      'dynamodb:DeleteItem',
      'dynamodb:GetItem',
      'dynamodb:PutItem',
      'dynamodb:Query',
      'dynamodb:UpdateItem',
    ],
    'content/objects/*': ['s3:DeleteObject'],
    'content/uploads/*': ['s3:DeleteObject'],
    followUps: [
      'sqs:DeleteMessage',
      'sqs:GetQueueAttributes',
      'sqs:ReceiveMessage',
      'sqs:SendMessage',
    ],
    undelivered: ['sqs:SendMessage'],
    'sync/POST/@connections/*': MANAGE,
    'sync/GET/@connections/*': MANAGE,
    'sync/DELETE/@connections/*': MANAGE,
  },
  revocation: {
    'own log group': LOGS,
    'apiKeys StreamArn': STREAM,
    apiKeys: ['dynamodb:GetItem'],
    rates: ['dynamodb:UpdateItem'],
    subscriptions: [
      'dynamodb:BatchWriteItem',
      'dynamodb:DeleteItem',
      'dynamodb:GetItem',
      'dynamodb:Query',
      'dynamodb:UpdateItem',
    ],
    undelivered: ['sqs:SendMessage'],
    'sync/POST/@connections/*': MANAGE,
    'sync/DELETE/@connections/*': MANAGE,
  },
  janitor: {
    'own log group': LOGS,
    buckets: ['dynamodb:DeleteItem', 'dynamodb:PutItem'],
    'buckets of #*': ['dynamodb:GetItem', 'dynamodb:Query'],
    'buckets but #*': ['dynamodb:BatchGetItem', 'dynamodb:GetItem', 'dynamodb:UpdateItem'],
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
  admin: {
    'own log group': LOGS,
    apiKeys: ['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:Scan'],
    audit: ['dynamodb:PutItem', 'dynamodb:Query'],
    rates: ['dynamodb:BatchGetItem', 'dynamodb:UpdateItem'],
  },
  site: { 'own log group': LOGS },
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
  const handler = readFileSync(
    path.join(__dirname, '../../../lambdas', name, 'handler.ts'),
    'utf8',
  );
  const read = (how: string) =>
    [...handler.matchAll(new RegExp(`${how}Env\\(ENV\\.(\\w+)\\)`, 'g'))].map(
      ([, key]): string => ENV[key as keyof typeof ENV],
    );
  const required = [...new Set(read('require'))];
  expect(required.length).toBeGreaterThan(0);
  const given = Object.keys(functionOf(name).Environment.Variables);
  const optional = read('optional');
  expect(given.filter((variable) => !optional.includes(variable)).sort()).toEqual(required.sort());
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

const onFailure = {
  OnFailure: { Destination: stack.resolve(storage.queues.undelivered.queueArn) },
};

test('the stream wakes fanout from its beginning, for new entries only, and a bad batch blocks nobody', () => {
  template.hasResourceProperties('AWS::Lambda::EventSourceMapping', {
    EventSourceArn: { 'Fn::GetAtt': [logicalId(stack, storage.tables.changes), 'StreamArn'] },
    FunctionName: { Ref: logicalId(stack, storage.functions.fanout.function) },
    StartingPosition: 'TRIM_HORIZON',
    BatchSize: 100,
    BisectBatchOnFunctionError: true,
    FunctionResponseTypes: ['ReportBatchItemFailures'],
    MaximumRetryAttempts: 5,
    MaximumRecordAgeInSeconds: 3600,
    FilterCriteria: { Filters: [{ Pattern: '{"eventName":["INSERT"]}' }] },
    DestinationConfig: onFailure,
  });
});

test('every change of an API key wakes revocation, and what it gives up on is kept', () => {
  template.hasResourceProperties('AWS::Lambda::EventSourceMapping', {
    EventSourceArn: { 'Fn::GetAtt': [logicalId(stack, storage.tables.apiKeys), 'StreamArn'] },
    FunctionName: { Ref: logicalId(stack, storage.functions.revocation.function) },
    StartingPosition: 'TRIM_HORIZON',
    BatchSize: 100,
    BisectBatchOnFunctionError: true,
    FunctionResponseTypes: ['ReportBatchItemFailures'],
    MaximumRetryAttempts: 10,
    FilterCriteria: Match.absent(),
    DestinationConfig: onFailure,
  });
});

test('follow-ups wake fanout, each answered for by itself', () => {
  template.hasResourceProperties('AWS::Lambda::EventSourceMapping', {
    EventSourceArn: stack.resolve(storage.queues.deferredTasks.queueArn),
    FunctionName: { Ref: logicalId(stack, storage.functions.fanout.function) },
    BatchSize: 10,
    FunctionResponseTypes: ['ReportBatchItemFailures'],
    Enabled: Match.absent(),
  });
  template.resourceCountIs('AWS::Lambda::EventSourceMapping', 3);
});

test('each function of the channel knows where messages are posted', () => {
  const endpoint = stack.resolve(storage.channelApi.connectionsEndpoint);
  for (const name of ['channel', 'fanout', 'revocation'] as const) {
    expect(functionOf(name).Environment.Variables.CONNECTIONS_ENDPOINT).toEqual(endpoint);
  }
});
