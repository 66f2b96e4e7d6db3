import { statSync } from 'node:fs';
import { UserError } from '../../errors/user-error';
import type { Iam } from '../../iam/iam';
import { mayAssume } from '../../iam/stack-iam';
import type { ResolvedResource, ResolvedStack } from '../../template/model';
import {
  numberProperty,
  optionalText,
  resourcesOfType,
  textProperty,
} from '../../template/resources';
import { isRecord } from '../../values/json';

/** The configuration of a function for its execution environments. */
export interface FunctionConfiguration {
  readonly functionName: string;
  readonly functionArn: string;
  /** `index.handler` */
  readonly handler: string;
  /** MiB. */
  readonly memorySize: number;
  readonly timeoutSeconds: number;
  readonly reservedConcurrency?: number;
  /** Lambda does not stop recursive loops of the function. */
  readonly allowsLoops: boolean;
  /** Absolute folder of the code. */
  readonly taskRoot: string;
  readonly roleArn: string;
  /** The log format is JSON, not text. */
  readonly logsJson: boolean;
  readonly environment: Readonly<Record<string, string>>;
  /** AWS_SESSION_TOKEN of an environment whose credentials end then; epoch milliseconds. */
  readonly sessionToken: (until: number) => string;
}

/** The addresses of the services: `http://127.0.0.1:PORT`. */
export interface Endpoints {
  readonly s3: string;
  readonly dynamodb: string;
  readonly lambda: string;
  /** Absent when the stack has no queues. */
  readonly sqs?: string;
  /** Absent when the stack has neither buses nor rules for events. */
  readonly events?: string;
  /** @connections of the WebSocket API, with its stage. Absent when the stack has none. */
  readonly connections?: string;
}

export interface FunctionSurroundings {
  readonly stack: ResolvedStack;
  readonly iam: Iam;
  /** For the AWS SDK in functions. */
  readonly endpoints: Endpoints;
}

/** Checks a function of the template as CreateFunction would. Throws UserError. */
export function configureFunction(
  resource: ResolvedResource,
  surroundings: FunctionSurroundings,
): FunctionConfiguration {
  const { logicalId, physicalId, arn = '' } = resource;
  const runtime = textProperty(resource, 'Runtime');
  if (!/^nodejs\d+\.x$/.test(runtime)) {
    throw new UserError(`${logicalId}.Runtime: the emulator runs Node.js only, not ${runtime}`);
  }
  const reserved = optionalText(resource, 'ReservedConcurrentExecutions');
  const configuration = {
    functionName: physicalId,
    functionArn: arn,
    handler: textProperty(resource, 'Handler'),
    memorySize: numberProperty(resource, 'MemorySize', 128),
    timeoutSeconds: numberProperty(resource, 'Timeout', 3),
    reservedConcurrency: reserved === undefined ? undefined : Number(reserved),
    allowsLoops: optionalText(resource, 'RecursiveLoop') === 'Allow',
    taskRoot: codeFolder(resource, surroundings.stack),
    roleArn: checkedRole(resource, surroundings.stack),
    logsJson: logsJson(resource),
  };
  refuseSilence(resource, configuration.roleArn, surroundings);
  const environment = environmentOf(resource, configuration, runtime, surroundings);
  const sessionToken = (until: number) =>
    surroundings.iam.credentialsForRole(configuration.roleArn, until).sessionToken ?? '';
  return { ...configuration, environment, sessionToken };
}

function codeFolder(resource: ResolvedResource, stack: ResolvedStack): string {
  const { Code: code } = resource.properties;
  const key = isRecord(code) ? code.S3Key : undefined;
  if (typeof key !== 'string') throw new UserError(`${resource.logicalId}.Code.S3Key is missing`);
  const path = stack.assetPath(key);
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) {
    throw new UserError(
      `${resource.logicalId}.Code: ${path} is not a folder; zip files are not supported`,
    );
  }
  return path;
}

function checkedRole(resource: ResolvedResource, stack: ResolvedStack): string {
  const arn = textProperty(resource, 'Role');
  const role = resourcesOfType(stack, 'AWS::IAM::Role').find((candidate) => candidate.arn === arn);
  const where = `${resource.logicalId}.Role`;
  if (role === undefined) throw new UserError(`${where}: the template has no role ${arn}`);
  if (!mayAssume(role, 'lambda.amazonaws.com')) {
    throw new UserError(`${where}: ${role.logicalId} cannot be assumed by Lambda`);
  }
  return arn;
}

/** Lambda filters lines by their level in the JSON format only. */
function logsJson({ logicalId, properties }: ResolvedResource): boolean {
  const { LoggingConfig: logging } = properties;
  if (!isRecord(logging)) return false;
  const { LogFormat: format = 'Text', ApplicationLogLevel: own, SystemLogLevel: system } = logging;
  const where = `${logicalId}.LoggingConfig`;
  if (format !== 'Text' && format !== 'JSON') {
    throw new UserError(`${where}.LogFormat must be Text or JSON, not ${String(format)}`);
  }
  if (format === 'Text' && (own !== undefined || system !== undefined)) {
    throw new UserError(`${where}: log levels need the LogFormat JSON`);
  }
  return format === 'JSON';
}

/**
 * Lambda writes logs in the function's role, and drops them silently if the role does not allow it.
 */
function refuseSilence(
  resource: ResolvedResource,
  roleArn: string,
  { stack, iam }: FunctionSurroundings,
): void {
  const { LoggingConfig: logging } = resource.properties;
  const group = isRecord(logging) ? logging.LogGroup : undefined;
  // Without a log group of its own, AWS creates one, if the role allows it.
  if (typeof group !== 'string') return;
  const { region, accountId } = stack;
  const arn = `arn:aws:logs:${region}:${accountId}:log-group:${group}:log-stream:local`;
  for (const name of ['CreateLogStream', 'PutLogEvents']) {
    const request = { action: `logs:${name}`, resource: arn };
    const denial = iam.denial({ arn: roleArn, root: false }, request);
    if (denial !== undefined) throw new UserError(`${resource.logicalId}.LoggingConfig: ${denial}`);
  }
}

/**
 * Returns the variables of the template and those that Lambda sets, and none of this process.
 * https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html
 */
function environmentOf(
  resource: ResolvedResource,
  configuration: Omit<FunctionConfiguration, 'environment' | 'sessionToken'>,
  runtime: string,
  { stack, iam, endpoints }: FunctionSurroundings,
): Readonly<Record<string, string>> {
  const { Environment: declared } = resource.properties;
  const variables = isRecord(declared) && isRecord(declared.Variables) ? declared.Variables : {};
  const own: Record<string, string> = {};
  for (const [name, value] of Object.entries(variables)) {
    const where = `${resource.logicalId}.Environment.Variables.${name}`;
    if (RESERVED.test(name)) throw new UserError(`${where}: Lambda reserves this name`);
    if (isRecord(value) || Array.isArray(value)) throw new UserError(`${where} must be a string`);
    own[name] = String(value);
  }
  const role = iam.credentialsForRole(configuration.roleArn);
  const { functionName, handler, memorySize, taskRoot } = configuration;
  return {
    ...own,
    AWS_ACCESS_KEY_ID: role.accessKeyId,
    AWS_SECRET_ACCESS_KEY: role.secretAccessKey,
    AWS_DEFAULT_REGION: stack.region,
    AWS_REGION: stack.region,
    ...(endpoints.connections && {
      AWS_ENDPOINT_URL_APIGATEWAYMANAGEMENTAPI: endpoints.connections,
    }),
    AWS_ENDPOINT_URL_DYNAMODB: endpoints.dynamodb,
    AWS_ENDPOINT_URL_LAMBDA: endpoints.lambda,
    AWS_ENDPOINT_URL_S3: endpoints.s3,
    ...(endpoints.events && { AWS_ENDPOINT_URL_EVENTBRIDGE: endpoints.events }),
    ...(endpoints.sqs && { AWS_ENDPOINT_URL_SQS: endpoints.sqs }),
    AWS_EXECUTION_ENV: `AWS_Lambda_${runtime}`,
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(memorySize),
    AWS_LAMBDA_FUNCTION_NAME: functionName,
    AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
    AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
    AWS_LAMBDA_LOG_GROUP_NAME: `/aws/lambda/${functionName}`,
    AWS_LAMBDA_LOG_STREAM_NAME: 'local',
    // Not the user's home, where the AWS SDK would read ~/.aws/config.
    HOME: '/home/sbx_user1051',
    LAMBDA_TASK_ROOT: taskRoot,
    LANG: 'en_US.UTF-8',
    PATH: '/var/lang/bin:/usr/local/bin:/usr/bin/:/bin:/opt/bin',
    TZ: ':UTC',
    _HANDLER: handler,
  };
}

const RESERVED =
  /^(_HANDLER|_X_AMZN_TRACE_ID|AWS_(DEFAULT_REGION|REGION|EXECUTION_ENV|ACCESS_KEY(_ID)?|SECRET_ACCESS_KEY|SESSION_TOKEN)|AWS_LAMBDA_.*|LAMBDA_(TASK_ROOT|RUNTIME_DIR))$/;
