import { readdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { attribute, TRUST } from '../support/template';

type Resource = Readonly<Record<string, unknown>>;

export const allow = (action: string | string[], resource: unknown) => ({
  Effect: 'Allow',
  Action: action,
  Resource: resource,
});

export function functionWithRole(
  name: string,
  statements: unknown[],
  variables: Resource,
): Resource {
  const policy = { PolicyName: 'p', PolicyDocument: { Statement: statements } };
  return {
    [`${name}Role`]: {
      Type: 'AWS::IAM::Role',
      Properties: { AssumeRolePolicyDocument: TRUST, Policies: statements.length ? [policy] : [] },
    },
    [name]: {
      Type: 'AWS::Lambda::Function',
      Properties: {
        Code: { S3Bucket: 'assets', S3Key: `${name.toLowerCase()}.zip` },
        Environment: { Variables: variables },
        Handler: 'index.handler',
        MemorySize: 256,
        Role: attribute(`${name}Role`),
        Runtime: 'nodejs24.x',
        Timeout: 20,
      },
    },
  };
}

function permission(functionName: string, principal: string): Resource {
  return {
    Type: 'AWS::Lambda::Permission',
    Properties: {
      Action: 'lambda:InvokeFunction',
      FunctionName: attribute(functionName),
      Principal: principal,
      SourceAccount: { Ref: 'AWS::AccountId' },
    },
  };
}

const BUCKET_NAME = 'runtime-test-content';
const everyObject = { 'Fn::Sub': `arn:aws:s3:::${BUCKET_NAME}/*` };

/**
 * A small stack that uses every service: an API, a bucket that reports uploads, a table whose
 * stream is followed.
 */
export function smallTemplate(): { Resources: Record<string, Resource>; Outputs: Resource } {
  return {
    Resources: {
      Table: {
        Type: 'AWS::DynamoDB::GlobalTable',
        Properties: {
          AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
          BillingMode: 'PAY_PER_REQUEST',
          KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
          Replicas: [{ Region: { Ref: 'AWS::Region' } }],
          StreamSpecification: { StreamViewType: 'NEW_IMAGE' },
        },
      },
      Bucket: {
        Type: 'AWS::S3::Bucket',
        Properties: {
          BucketName: BUCKET_NAME,
          NotificationConfiguration: {
            LambdaConfigurations: [
              {
                Event: 's3:ObjectCreated:*',
                Filter: { S3Key: { Rules: [{ Name: 'prefix', Value: 'uploads/' }] } },
                Function: attribute('Ingest'),
              },
            ],
          },
        },
        DependsOn: 'S3MayInvokeIngest',
      },
      S3MayInvokeIngest: permission('Ingest', 's3.amazonaws.com'),
      // It may write items, and no objects.
      ...functionWithRole('Api', [allow('dynamodb:PutItem', attribute('Table'))], {
        BUCKET: BUCKET_NAME,
        TABLE: { Ref: 'Table' },
      }),
      ...functionWithRole('Ingest', [allow('dynamodb:PutItem', attribute('Table'))], {
        TABLE: { Ref: 'Table' },
      }),
      ...functionWithRole(
        'Fanout',
        [
          allow('s3:PutObject', everyObject),
          allow('dynamodb:*', { 'Fn::GetAtt': ['Table', 'StreamArn'] }),
        ],
        { BUCKET: BUCKET_NAME },
      ),
      Mapping: {
        Type: 'AWS::Lambda::EventSourceMapping',
        Properties: {
          EventSourceArn: { 'Fn::GetAtt': ['Table', 'StreamArn'] },
          FunctionName: { Ref: 'Fanout' },
          FunctionResponseTypes: ['ReportBatchItemFailures'],
          StartingPosition: 'TRIM_HORIZON',
        },
      },
      ...restApi(),
    },
    Outputs: { BucketName: { Value: { Ref: 'Bucket' } }, TableName: { Value: { Ref: 'Table' } } },
  };
}

/** A REST API with one method, POST /, which invokes the function Api. */
function restApi(): Record<string, Resource> {
  const rest = { RestApiId: { Ref: 'Rest' } };
  return {
    Rest: {
      Type: 'AWS::ApiGateway::RestApi',
      Properties: { Name: 'rest', EndpointConfiguration: { Types: ['REGIONAL'] } },
    },
    Method: {
      Type: 'AWS::ApiGateway::Method',
      Properties: {
        ...rest,
        AuthorizationType: 'NONE',
        HttpMethod: 'POST',
        ResourceId: { 'Fn::GetAtt': ['Rest', 'RootResourceId'] },
        Integration: {
          IntegrationHttpMethod: 'POST',
          Type: 'AWS_PROXY',
          Uri: {
            'Fn::Join': [
              '',
              [
                'arn:aws:apigateway:us-east-1:lambda:path/2015-03-31/functions/',
                attribute('Api'),
                '/invocations',
              ],
            ],
          },
        },
      },
    },
    Deployment: { Type: 'AWS::ApiGateway::Deployment', Properties: rest, DependsOn: 'Method' },
    Stage: {
      Type: 'AWS::ApiGateway::Stage',
      Properties: { ...rest, DeploymentId: { Ref: 'Deployment' }, StageName: 'api' },
    },
    GatewayMayInvokeApi: permission('Api', 'apigateway.amazonaws.com'),
  };
}

/** Writes the folder that `cdk synth` writes for the template. Its functions are in ./functions. */
export function writeCdkOut(folder: string, template: unknown): void {
  const write = (name: string, content: unknown) =>
    writeFileSync(join(folder, name), JSON.stringify(content));
  write('manifest.json', {
    artifacts: {
      small: {
        type: 'aws:cloudformation:stack',
        environment: 'aws://unknown-account/unknown-region',
        properties: { templateFile: 'small.template.json' },
      },
    },
  });
  write('small.template.json', template);
  const files = readdirSync(join(__dirname, 'functions')).map((name) => [
    name,
    {
      source: { path: relative(folder, join(__dirname, 'functions', name)), packaging: 'zip' },
      destinations: { here: { objectKey: `${name}.zip` } },
    },
  ]);
  write('small.assets.json', { files: Object.fromEntries(files) });
}
