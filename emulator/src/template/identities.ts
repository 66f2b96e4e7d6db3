/**
 * The values of `Ref` and `Fn::GetAtt` for each resource type. They are functions of the stack's
 * name, the logical id and the resource's own names, so that a resource need not exist to be
 * referenced.
 */
import { createHash } from 'node:crypto';
import type { Json } from '../values/json';

export interface Identity {
  readonly physicalId: string;
  readonly attributes: Readonly<Record<string, string>>;
}

export interface Place {
  readonly stackName: string;
  readonly region: string;
  readonly accountId: string;
}

interface Subject {
  readonly place: Place;
  readonly logicalId: string;
  /** The property's resolved value, when the template sets it to a string. */
  readonly named: (property: string) => string | undefined;
  /** The properties of the template with their intrinsic functions. */
  readonly raw: Json;
}

type Identify = (subject: Subject) => Identity;

/** Derives letters and digits from the stack's name, the logical id and a purpose. */
function code(subject: Subject, length: number, purpose = 'id'): string {
  const { place, logicalId } = subject;
  const digest = createHash('sha256')
    .update(`${place.stackName}\n${logicalId}\n${purpose}`)
    .digest();
  return BigInt(`0x${digest.toString('hex')}`)
    .toString(36)
    .slice(0, length);
}

/** CloudFormation's generated names: stack, logical id, and random letters. */
function generatedName(subject: Subject, maxLength: number): string {
  const unique = code(subject, 12);
  const readable = `${subject.place.stackName}-${subject.logicalId}`;
  return `${readable.slice(0, maxLength - unique.length - 1)}-${unique}`;
}

function arn(subject: Subject, service: string, resource: string, global = false): string {
  const { region, accountId } = subject.place;
  return `arn:aws:${service}:${global ? '' : region}:${accountId}:${resource}`;
}

const onlyId =
  (length: number, idAttribute?: string): Identify =>
  (subject) => {
    const physicalId = code(subject, length);
    return { physicalId, attributes: idAttribute ? { [idAttribute]: physicalId } : {} };
  };

/** A resource whose ARN is `service:prefix + name`. */
const named =
  (service: string, prefix: string, property: string, maxLength: number): Identify =>
  (subject) => {
    const physicalId = subject.named(property) ?? generatedName(subject, maxLength);
    return { physicalId, attributes: { Arn: arn(subject, service, prefix + physicalId) } };
  };

const bucket: Identify = (subject) => {
  const physicalId =
    subject.named('BucketName') ??
    // https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html
    generatedName(subject, 63)
      .toLowerCase()
      .replace(/[^a-z0-9-]/g, '-');
  const { region } = subject.place;
  return {
    physicalId,
    attributes: {
      Arn: `arn:aws:s3:::${physicalId}`,
      DomainName: `${physicalId}.s3.amazonaws.com`,
      RegionalDomainName: `${physicalId}.s3.${region}.amazonaws.com`,
    },
  };
};

const table: Identify = (subject) => {
  const physicalId = subject.named('TableName') ?? generatedName(subject, 255);
  const tableArn = arn(subject, 'dynamodb', `table/${physicalId}`);
  const streams = subject.raw.StreamSpecification !== undefined;
  return {
    physicalId,
    attributes: {
      Arn: tableArn,
      // The label is a time in AWS. In the emulator it must be the same after every start.
      ...(streams && { StreamArn: `${tableArn}/stream/2025-01-01T00:00:00.000` }),
    },
  };
};

const role: Identify = (subject) => {
  const physicalId = subject.named('RoleName') ?? generatedName(subject, 64);
  return {
    physicalId,
    attributes: {
      Arn: arn(subject, 'iam', `role${subject.named('Path') ?? '/'}${physicalId}`, true),
      RoleId: `AROA${code(subject, 17).toUpperCase()}`,
    },
  };
};

/** Ref of a managed policy is its ARN. */
const managedPolicy: Identify = (subject) => {
  const name = subject.named('ManagedPolicyName') ?? generatedName(subject, 128);
  const path = subject.named('Path') ?? '/';
  return { physicalId: arn(subject, 'iam', `policy${path}${name}`, true), attributes: {} };
};

/**
 * Ref of an alias is its ARN: that of the function, which the template names by name or ARN, and
 * the alias.
 */
const functionAlias: Identify = (subject) => {
  const named = subject.named('FunctionName') ?? '';
  const functionArn = named.startsWith('arn:')
    ? named
    : arn(subject, 'lambda', `function:${named}`);
  const physicalId = `${functionArn}:${subject.named('Name') ?? ''}`;
  return { physicalId, attributes: { AliasArn: physicalId } };
};

const restApi: Identify = (subject) => {
  const physicalId = code(subject, 10);
  return {
    physicalId,
    attributes: { RestApiId: physicalId, RootResourceId: code(subject, 10, 'root') },
  };
};

const webSocketApi: Identify = (subject) => {
  const physicalId = code(subject, 10);
  const { region } = subject.place;
  const ApiEndpoint = `wss://${physicalId}.execute-api.${region}.amazonaws.com`;
  return { physicalId, attributes: { ApiId: physicalId, ApiEndpoint } };
};

const stage: Identify = (subject) => ({
  physicalId: subject.named('StageName') ?? generatedName(subject, 128),
  attributes: {},
});

const topic: Identify = (subject) => {
  const name = subject.named('TopicName') ?? generatedName(subject, 256);
  const topicArn = arn(subject, 'sns', name);
  return { physicalId: topicArn, attributes: { TopicArn: topicArn, TopicName: name } };
};

const queue: Identify = (subject) => {
  const isFifo = String(subject.raw.FifoQueue) === 'true';
  const generated = isFifo ? `${generatedName(subject, 75)}.fifo` : generatedName(subject, 80);
  const name = subject.named('QueueName') ?? generated;
  const { region, accountId } = subject.place;
  const url = `https://sqs.${region}.amazonaws.com/${accountId}/${name}`;
  return {
    physicalId: url,
    attributes: { Arn: arn(subject, 'sqs', name), QueueName: name, QueueUrl: url },
  };
};

const eventBus: Identify = (subject) => {
  const Name = subject.named('Name') ?? generatedName(subject, 256);
  return {
    physicalId: Name,
    attributes: { Arn: arn(subject, 'events', `event-bus/${Name}`), Name },
  };
};

const userPool: Identify = (subject) => {
  const { region } = subject.place;
  const physicalId = `${region}_${code(subject, 9)}`;
  const ProviderName = `cognito-idp.${region}.amazonaws.com/${physicalId}`;
  return {
    physicalId,
    attributes: {
      Arn: arn(subject, 'cognito-idp', `userpool/${physicalId}`),
      ProviderName,
      ProviderURL: `https://${ProviderName}`,
      UserPoolId: physicalId,
    },
  };
};

const distribution: Identify = (subject) => {
  const physicalId = `E${code(subject, 13).toUpperCase()}`;
  return {
    physicalId,
    attributes: { DomainName: `${physicalId.toLowerCase()}.cloudfront.net`, Id: physicalId },
  };
};

const edgeFunction: Identify = (subject) => {
  const name = subject.named('Name') ?? generatedName(subject, 64);
  const functionArn = arn(subject, 'cloudfront', `function/${name}`, true);
  return { physicalId: functionArn, attributes: { FunctionARN: functionArn } };
};

/** Ref of a function's URL is the ARN of the function. */
const functionUrl: Identify = (subject) => {
  const FunctionArn = subject.named('TargetFunctionArn') ?? '';
  const { region } = subject.place;
  const FunctionUrl = `https://${code(subject, 32)}.lambda-url.${region}.on.aws/`;
  return { physicalId: FunctionArn, attributes: { FunctionArn, FunctionUrl } };
};

/** A resource whose `Ref` is the value of the property. */
const calledAs =
  (property: string): Identify =>
  (subject) => ({
    physicalId: subject.named(property) ?? generatedName(subject, 64),
    attributes: {},
  });

const logGroup: Identify = (subject) => {
  const physicalId = subject.named('LogGroupName') ?? generatedName(subject, 512);
  return { physicalId, attributes: { Arn: arn(subject, 'logs', `log-group:${physicalId}:*`) } };
};

const key: Identify = (subject) => {
  const physicalId = code(subject, 36);
  const keyArn = arn(subject, 'kms', `key/${physicalId}`);
  return { physicalId, attributes: { Arn: keyArn, KeyId: physicalId } };
};

/** Ref of a secret is its ARN. */
const secret: Identify = (subject) => {
  const name = subject.named('Name') ?? generatedName(subject, 64);
  const secretArn = arn(subject, 'secretsmanager', `secret:${name}-${code(subject, 6, 'arn')}`);
  return { physicalId: secretArn, attributes: { Id: secretArn } };
};

const IDENTITIES: Readonly<Record<string, Identify>> = {
  'AWS::ApiGateway::Authorizer': onlyId(6, 'AuthorizerId'),
  'AWS::ApiGateway::Deployment': onlyId(6, 'DeploymentId'),
  'AWS::ApiGateway::Resource': onlyId(6, 'ResourceId'),
  'AWS::ApiGateway::RestApi': restApi,
  'AWS::ApiGateway::Stage': stage,
  'AWS::ApiGatewayV2::Api': webSocketApi,
  'AWS::ApiGatewayV2::Integration': onlyId(7),
  'AWS::ApiGatewayV2::Route': onlyId(7, 'RouteId'),
  'AWS::ApiGatewayV2::Stage': stage,
  'AWS::CloudFront::Distribution': distribution,
  'AWS::CloudFront::Function': edgeFunction,
  'AWS::CloudFront::OriginAccessControl': onlyId(13, 'Id'),
  'AWS::CloudFront::ResponseHeadersPolicy': onlyId(36, 'Id'),
  'AWS::CloudWatch::Alarm': named('cloudwatch', 'alarm:', 'AlarmName', 255),
  'AWS::Cognito::UserPool': userPool,
  'AWS::Cognito::UserPoolClient': onlyId(26, 'ClientId'),
  'AWS::Cognito::UserPoolDomain': calledAs('Domain'),
  'AWS::Cognito::UserPoolGroup': calledAs('GroupName'),
  'AWS::DynamoDB::GlobalTable': table,
  'AWS::DynamoDB::Table': table,
  'AWS::Events::EventBus': eventBus,
  'AWS::Events::Rule': named('events', 'rule/', 'Name', 64),
  'AWS::IAM::ManagedPolicy': managedPolicy,
  'AWS::IAM::Role': role,
  'AWS::KMS::Alias': calledAs('AliasName'),
  'AWS::KMS::Key': key,
  'AWS::Lambda::Alias': functionAlias,
  'AWS::Lambda::EventSourceMapping': onlyId(36, 'Id'),
  'AWS::Lambda::Function': named('lambda', 'function:', 'FunctionName', 64),
  'AWS::Lambda::Url': functionUrl,
  'AWS::Logs::LogGroup': logGroup,
  'AWS::S3::Bucket': bucket,
  'AWS::SecretsManager::Secret': secret,
  'AWS::SNS::Topic': topic,
  'AWS::SQS::Queue': queue,
  'AWS::WAFv2::WebACL': named('wafv2', 'global/webacl/', 'Name', 128),
};

/** Types without attributes get a generated name. */
export function identify(type: string, subject: Subject): Identity {
  const own = Object.hasOwn(IDENTITIES, type) ? IDENTITIES[type] : undefined;
  return own?.(subject) ?? { physicalId: generatedName(subject, 64), attributes: {} };
}
