import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type Duration, Validations } from 'aws-cdk-lib';
import * as iam from 'aws-cdk-lib/aws-iam';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import type * as logs from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { EnvName } from '../../lambdas/runtime/env';
import { createLogGroup, type LogOptions } from '../storage/log-group';

/** The functions of every service; the bundle of each is in `dist/lambdas/<name>`. */
export const FUNCTION_NAMES = [
  'authorizer',
  'api',
  'download',
  'changes',
  'channel',
  'ingest',
  'fanout',
  'revocation',
  'janitor',
  'admin',
  'site',
] as const;
export type FunctionName = (typeof FUNCTION_NAMES)[number];

/** The same, and the functions that the first `onChange` and the first grant add. */
export const BUNDLE_NAMES = [...FUNCTION_NAMES, 'targets', 'internal'] as const;
export type BundleName = (typeof BUNDLE_NAMES)[number];

/** Options that all functions of a service share. */
export interface ServiceFunctionOptions extends LogOptions {
  /**
   * A folder with one folder per function, each with an `index.js` that exports `handler`.
   *
   * @default - `dist/lambdas` of this package, which `npm run build` creates
   */
  readonly bundles?: string;

  /**
   * Processor architecture. The bundles are plain JavaScript, which runs on each.
   *
   * @default lambda.Architecture.ARM_64
   */
  readonly architecture?: lambda.Architecture;

  /**
   * Whether AWS X-Ray traces requests through the REST API and the functions. Each trace costs.
   *
   * @default false
   */
  readonly tracing?: boolean;
}

export interface ServiceFunctionProps extends ServiceFunctionOptions {
  /** The bundle that the function runs. */
  readonly bundle: BundleName;

  /** One sentence for the console. */
  readonly description: string;

  readonly memorySize: number;

  readonly timeout: Duration;

  /** The least level of its lines in the log. @default - every level */
  readonly logLevel?: lambda.ApplicationLogLevel;

  /** Concurrent executions reserved for it. @default - it shares those of the account */
  readonly reserved?: number;

  /**
   * Whether Lambda stops the function after 16 invocations in one chain of requests.
   *
   * @default lambda.RecursiveLoop.TERMINATE
   */
  readonly recursiveLoop?: lambda.RecursiveLoop;

  /**
   * Variables by the names of `lambdas/runtime/env.ts`, which the handlers read.
   */
  readonly environment: Readonly<Partial<Record<EnvName, string>>>;
}

/** A Lambda function with a prebuilt bundle, a role and a log group of its own. */
export class ServiceFunction extends Construct implements iam.IGrantable {
  /** The Lambda function. */
  public readonly function: lambda.Function;
  /** Its role, which no other function has. */
  public readonly role: iam.Role;
  /** The log group that it writes. */
  public readonly logGroup: logs.LogGroup;
  /** Its role, to which grants are given. */
  public readonly grantPrincipal: iam.IPrincipal;

  /** @internal */
  constructor(scope: Construct, id: string, props: ServiceFunctionProps) {
    super(scope, id);

    this.logGroup = createLogGroup(this, 'Logs', props);

    // Without AWSLambdaBasicExecutionRole, which allows creating and writing any log group of the
    // account.
    this.role = new iam.Role(this, 'Role', {
      assumedBy: new iam.ServicePrincipal('lambda.amazonaws.com'),
    });
    this.grantPrincipal = this.role;
    this.logGroup.grantWrite(this.role);

    this.function = new lambda.Function(this, 'Function', {
      description: props.description,
      code: lambda.Code.fromAsset(bundleFolder(props)),
      handler: 'index.handler',
      runtime: lambda.Runtime.NODEJS_24_X,
      architecture: props.architecture ?? lambda.Architecture.ARM_64,
      memorySize: props.memorySize,
      timeout: props.timeout,
      reservedConcurrentExecutions: props.reserved,
      role: this.role,
      logGroup: this.logGroup,
      // Without the three lines of Lambda for each invocation that succeeds: duration, memory and
      // errors are metrics too. Those of one that fails or times out are of the level WARN.
      // https://docs.aws.amazon.com/lambda/latest/dg/monitoring-cloudwatchlogs-log-level.html
      loggingFormat: lambda.LoggingFormat.JSON,
      systemLogLevelV2: lambda.SystemLogLevel.WARN,
      applicationLogLevelV2: props.logLevel,
      recursiveLoop: props.recursiveLoop,
      environment: { ...props.environment },
      ...(props.tracing === true && { tracing: lambda.Tracing.ACTIVE }),
    });
    this.acknowledge(props.tracing === true);
  }

  private acknowledge(tracing: boolean): void {
    Validations.of(this.function).acknowledge({
      id: 'Serverless-LambdaDLQ',
      reason:
        'The janitor finds in the tables what failed S3 events and schedules left undone, streams have a failure destination of their own, and all other invocations are synchronous.',
    });
    if (tracing) {
      // https://docs.aws.amazon.com/xray/latest/devguide/security_iam_id-based-policy-examples.html
      Validations.of(this.role).acknowledge({
        id: 'AwsSolutions-IAM5[Resource::*]',
        reason:
          'The X-Ray actions PutTraceSegments and PutTelemetryRecords support no resources. With them a function can write traces of its account, and read none.',
      });
    } else {
      Validations.of(this.function).acknowledge({
        id: 'Serverless-LambdaTracing',
        reason:
          'Traces cost money for each request and are a setting. Without them, the request id connects the logs of gateway and functions.',
      });
    }
  }
}

function bundleFolder(props: ServiceFunctionProps): string {
  const folder = path.join(props.bundles ?? path.join(packageRoot(), 'dist/lambdas'), props.bundle);
  if (!existsSync(path.join(folder, 'index.js'))) {
    throw new Error(
      `the bundle of function ${props.bundle} is missing in ${folder}: run 'npm run build' before synth, or set bundles`,
    );
  }
  return folder;
}

/** The version in package.json. */
export function packageVersion(): string {
  const { version }: { version: string } = JSON.parse(
    readFileSync(path.join(packageRoot(), 'package.json'), 'utf8'),
  );
  return version;
}

/**
 * The nearest parent folder with a package.json, from lib/ and from a compiled copy below dist/.
 */
function packageRoot(): string {
  let folder = __dirname;
  while (!existsSync(path.join(folder, 'package.json'))) {
    const parent = path.dirname(folder);
    if (parent === folder) throw new Error(`no package.json above ${__dirname}: set bundles`);
    folder = parent;
  }
  return folder;
}
