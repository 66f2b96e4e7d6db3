import { readFileSync } from 'node:fs';
import path from 'node:path';
import {
  BUNDLE_NAMES,
  FUNCTION_NAMES,
  type FunctionName,
} from '../../../lib/functions/service-function';
import { functionProperties, logicalId, useStorage } from '../synthesize';

interface Statement {
  readonly Effect: string;
  readonly Action: string | readonly string[];
  readonly Resource: unknown;
}

const synthesized = useStorage();
const { stack, storage, template } = synthesized;
const resources = template.toJSON().Resources;

const functionOf = (name: FunctionName) => functionProperties(synthesized, name);

function statementsOf(name: FunctionName): readonly Statement[] {
  const roleId = logicalId(stack, storage.functions[name].role);
  const policies = Object.values(template.findResources('AWS::IAM::Policy')).filter(
    ({ Properties }) => JSON.stringify(Properties.Roles) === JSON.stringify([{ Ref: roleId }]),
  );
  return policies.flatMap(({ Properties }): Statement[] => Properties.PolicyDocument.Statement);
}

const actionsOf = ({ Action }: Statement) => [Action].flat() as string[];

/** The functions that are granted the action on a resource whose ARN contains the text. */
function allowed(action: string, resource: string): readonly FunctionName[] {
  return FUNCTION_NAMES.filter((name) =>
    statementsOf(name).some(
      (statement) =>
        actionsOf(statement).includes(action) &&
        JSON.stringify(statement.Resource).includes(resource),
    ),
  );
}

test('only fanout, which bounds its chain of deferred tasks itself, may run in a loop', () => {
  const allowed = FUNCTION_NAMES.filter((name) => functionOf(name).RecursiveLoop === 'Allow');
  expect(allowed).toEqual(['fanout']);
});

// test/grants checks that each grant is needed, from the calls that functions make.
describe('grants', () => {
  test.each(FUNCTION_NAMES)('of %s allow single actions on single resources', (name) => {
    for (const statement of statementsOf(name)) {
      expect(statement.Effect).toBe('Allow');
      for (const action of actionsOf(statement)) expect(action).toMatch(/^[a-z0-9-]+:[A-Za-z]+$/);
      for (const resource of [statement.Resource].flat()) expect(resource).not.toBe('*');
    }
  });

  const { apiKeys, audit } = storage.tables;
  test.each<[string, string, string, readonly FunctionName[]]>([
    ['list API keys', 'dynamodb:Scan', logicalId(stack, apiKeys), ['admin']],
    ['write API keys', 'dynamodb:PutItem', logicalId(stack, apiKeys), ['admin']],
    ['write audit records', 'dynamodb:PutItem', logicalId(stack, audit), ['admin']],
    ['write blobs', 's3:PutObject', '/objects/*', ['api']],
    ['remove blobs', 's3:DeleteObject', '/objects/*', ['api', 'fanout', 'janitor']],
    [
      'close channels',
      'execute-api:ManageConnections',
      '/DELETE/@connections/*',
      ['channel', 'fanout', 'revocation'],
    ],
  ])('to %s exist only for the functions that need them', (_what, action, resource, names) => {
    expect(allowed(action, resource)).toEqual(names);
  });

  test('of site allow nothing but logging', () => {
    expect(statementsOf('site').flatMap(actionsOf)).toEqual([
      'logs:CreateLogStream',
      'logs:PutLogEvents',
    ]);
  });
});

test('roles have no managed policies, and only Lambda may assume them', () => {
  for (const name of FUNCTION_NAMES) {
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

test('every function runs its bundle on arm64 with the current runtime, and logs into its own log group, without lines of Lambda about what succeeds', () => {
  for (const name of FUNCTION_NAMES) {
    expect(functionOf(name)).toMatchObject({
      Handler: 'index.handler',
      Runtime: 'nodejs24.x',
      Architectures: ['arm64'],
      LoggingConfig: {
        LogFormat: 'JSON',
        LogGroup: { Ref: logicalId(stack, storage.functions[name].logGroup) },
        SystemLogLevel: 'WARN',
      },
    });
  }
  template.allResourcesProperties('AWS::Logs::LogGroup', { RetentionInDays: 30 });
  const keys = FUNCTION_NAMES.map((name) => functionOf(name).Code.S3Key);
  expect(new Set(keys).size).toBe(FUNCTION_NAMES.length);
});

// It fails for every key that anybody makes up, and Lambda would log each with a stack trace.
test('the log of the authorizer alone leaves errors out', () => {
  const shows = FUNCTION_NAMES.map((name) => [
    name,
    functionOf(name).LoggingConfig.ApplicationLogLevel,
  ]);
  expect(shows.filter(([, level]) => level !== undefined)).toEqual([['authorizer', 'FATAL']]);
});

test('every function that posts to channels knows the endpoint of the connections', () => {
  const endpoint = stack.resolve(storage.channelApi.connectionsEndpoint);
  for (const name of ['channel', 'fanout', 'revocation'] as const) {
    expect(functionOf(name).Environment.Variables.CONNECTIONS_ENDPOINT).toEqual(endpoint);
  }
});

test('the table of functions in docs/design.md lists every function', () => {
  const design = readFileSync(path.join(__dirname, '../../../docs/design.md'), 'utf8');
  const [, section = ''] = /^## Functions\n([\s\S]*?)^## /m.exec(design) ?? [];
  const rows = [...section.matchAll(/^\| ([a-z]+) \|/gm)].map(([, name]) => name);
  expect(rows.sort()).toEqual([...BUNDLE_NAMES].sort());
});
