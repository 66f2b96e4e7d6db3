import { Aws, Duration, RemovalPolicy, Validations } from 'aws-cdk-lib';
import * as apigateway from 'aws-cdk-lib/aws-apigateway';
import type * as lambda from 'aws-cdk-lib/aws-lambda';
import type * as logs from 'aws-cdk-lib/aws-logs';
import { Construct, type IDependable } from 'constructs';
import { API_KEY, API_TOKEN } from '../../core/limits';
import { BASE_PATH } from '../../service/routes/routes';
import { createLogGroup, type LogOptions } from '../storage/log-group';
import { ACCESS_LOG_FIELDS } from './access-log';
import { addGatewayResponses } from './gateway-responses';
import { originPolicy } from './origin-secret';
import { addAdministration, addLinks, addSite, throttlePublicMethods } from './public-methods';
import { nameInAccount } from './service-name';

/** Options of the REST API. */
export interface RestApiOptions extends LogOptions {
  /**
   * Whether responses are streamed: up to 6 MB inline instead of 4 MiB, and no base64. Switch it
   * off in partitions where API Gateway has no response streaming.
   *
   * @default true
   */
  readonly responseStreaming?: boolean;

  /**
   * Requests per second that the whole API accepts, above the limits of each key.
   *
   * @default 1000
   */
  readonly throttlingRateLimit?: number;

  /**
   * Requests above the rate that may arrive at once.
   *
   * @default 500
   */
  readonly throttlingBurstLimit?: number;

  /**
   * Whether to set the role with which API Gateway writes logs in this account and region. There is
   * one such setting per account and region: switch it off where another stack manages it.
   *
   * @default true
   */
  readonly apiGatewayLogRole?: boolean;

  /** See ServiceFunctionOptions. */
  readonly tracing?: boolean;
}

export interface RestApiProps extends RestApiOptions {
  readonly responseStreaming: boolean;
  /** The secrets by which requests of the distribution are recognized; absent without an edge. */
  readonly originSecrets?: readonly string[];
  readonly authorizer: lambda.IFunction;
  /** Serves everything except downloads of objects and pages of changes. */
  readonly api: lambda.IFunction;
  /** Serves GET and HEAD of an object, and links to one. */
  readonly download: lambda.IFunction;
  /** Serves pages of changes. */
  readonly changes: lambda.IFunction;
  /** Serves the administration, and verifies who may use it. */
  readonly admin: lambda.IFunction;
  /** Serves the files of the dashboard. */
  readonly site: lambda.IFunction;
}

/**
 * `Bearer osk_<id>_<secret>_<crc>`, docs/api.md, "Keys": the gateway refuses other tokens without
 * invoking a function. The scheme is valid in any case (RFC 9110 §11.1). The gateway caches results
 * by the whole header: at most 64 spellings of a key, since exactly one space is accepted.
 */
export const BEARER_API_KEY = `^[Bb][Ee][Aa][Rr][Ee][Rr] ${API_KEY}$`;

/** The same for keys and temporary keys. */
const BEARER_ANY_KEY = `^[Bb][Ee][Aa][Rr][Ee][Rr] (?:${API_KEY}|${API_TOKEN})$`;

/** API Gateway waits at most 29 s for a buffered response. */
const BUFFERED_TIMEOUT = Duration.seconds(29);

/** A streamed download of 6 MB takes this long at 50 kB/s. */
const STREAMED_DOWNLOAD_TIMEOUT = Duration.minutes(2);

/**
 * How long the gateway caches the result of the authorizer. A changed key takes effect earlier: the
 * functions check whether the key was changed since.
 */
const AUTHORIZER_CACHE_TTL = Duration.minutes(5);

const STAGE = 'api';

/** The regional REST API; docs/api.md, "Endpoints". */
export class RestApi extends Construct {
  /** The REST API itself. */
  public readonly restApi: apigateway.RestApi;
  /** The log group of its access logs. */
  public readonly accessLogs: logs.LogGroup;
  /** @internal Path of the stage below its host. */
  public readonly stagePath = `/${STAGE}`;
  /** @internal How long `api` may take to respond; the timeout of its function. */
  public static readonly apiTimeout = BUFFERED_TIMEOUT;
  /** @internal The account's log role, if this API sets it. Stages that log depend on it. */
  public readonly logRole: IDependable | undefined;
  private readonly authorizer: apigateway.TokenAuthorizer;

  /** @internal */
  constructor(scope: Construct, id: string, props: RestApiProps) {
    super(scope, id);
    const streaming = props.responseStreaming;
    const logRole = props.apiGatewayLogRole ?? true;
    this.accessLogs = createLogGroup(this, 'AccessLogs', props);

    this.restApi = new apigateway.RestApi(this, 'Rest', {
      // CloudWatch identifies its metrics by this name, not by its id.
      restApiName: nameInAccount(scope, '-'),
      description: 'stowage: object storage',
      endpointConfiguration: { types: [apigateway.EndpointType.REGIONAL] },
      // Bodies reach the functions as bytes, whatever their Content-Type says.
      binaryMediaTypes: ['*/*'],
      policy: originPolicy(props.originSecrets),
      cloudWatchRole: logRole,
      // Other APIs of the account may rely on it.
      cloudWatchRoleRemovalPolicy: logRole ? RemovalPolicy.RETAIN : undefined,
      deployOptions: this.stageOptions(props),
    });
    this.logRole = this.restApi.node.tryFindChild('Account');
    this.createExecutionLogs(props);
    // The CDK adds an output with a generated name; StorageStack has ApiUrl instead.
    this.restApi.node.tryRemoveChild('Endpoint');
    addGatewayResponses(this.restApi);
    this.authorizer = this.createAuthorizer(props.authorizer);

    const download = integration(props.download, streaming, RestApi.downloadTimeout(streaming));
    this.addRoutes({
      api: integration(props.api, streaming, BUFFERED_TIMEOUT),
      download,
      changes: integration(props.changes, streaming, BUFFERED_TIMEOUT),
    });
    addAdministration(this.restApi, integration(props.admin, streaming, BUFFERED_TIMEOUT));
    addLinks(this.restApi, download);
    addSite(this.restApi, integration(props.site, streaming, BUFFERED_TIMEOUT));
    this.acknowledge(props.tracing === true);
  }

  /**
   * Its own URL, which does not refer to the stage: the stage depends on the functions, and they
   * get this URL.
   */
  public get address(): string {
    return `${this.origin}/${STAGE}/`;
  }

  /** `https://…`, without the stage. */
  public get origin(): string {
    return `https://${this.host}`;
  }

  /** Its own host, which the edge has as origin. */
  public get host(): string {
    return `${this.restApi.restApiId}.execute-api.${Aws.REGION}.${Aws.URL_SUFFIX}`;
  }

  /** @internal How long `download` may take to send its response. */
  public static downloadTimeout(responseStreaming: boolean): Duration {
    return responseStreaming ? STREAMED_DOWNLOAD_TIMEOUT : BUFFERED_TIMEOUT;
  }

  /**
   * A changed authorizer has no effect before the stage has a new deployment. The CDK makes one
   * only in apps with the flag `authorizerChangeDeploymentLogicalId`.
   */
  private createAuthorizer(handler: lambda.IFunction): apigateway.TokenAuthorizer {
    const settings = {
      validationRegex: BEARER_ANY_KEY,
      resultsCacheTtl: AUTHORIZER_CACHE_TTL,
    };
    const authorizer = new apigateway.TokenAuthorizer(this, 'Authorizer', { handler, ...settings });
    const deployment = this.restApi.latestDeployment;
    deployment?.node.addDependency(authorizer);
    deployment?.addToLogicalId(settings);
    return authorizer;
  }

  /**
   * Every path leads to `api`, which returns 404 and 405 in the service's own error format, except
   * downloads of objects and pages of changes.
   */
  private addRoutes({
    api,
    download,
    changes,
  }: Readonly<Record<'api' | 'download' | 'changes', apigateway.Integration>>): void {
    const root = this.restApi.root;
    this.addMethods(root, api, 'ANY');
    this.addMethods(root.addResource('{proxy+}'), api, 'ANY');
    let resource: apigateway.IResource = root;
    for (const part of ['api', 'v2', 'storage', 'objects', '{bucket}', '{key+}']) {
      resource = resource.addResource(part);
      this.addMethods(resource, api, 'ANY');
    }
    this.addMethods(resource, download, 'GET', 'HEAD');
    this.addMethods(root.resourceForPath(`${BASE_PATH}/sync`), changes, 'ANY');
  }

  private addMethods(
    resource: apigateway.IResource,
    target: apigateway.Integration,
    ...methods: string[]
  ): void {
    for (const method of methods) {
      resource.addMethod(method, target, {
        authorizer: this.authorizer,
        authorizationType: apigateway.AuthorizationType.CUSTOM,
      });
    }
  }

  private stageOptions(props: RestApiProps): apigateway.StageOptions {
    const { throttlingRateLimit: rate = 1000, throttlingBurstLimit: burst = 500 } = props;
    return {
      stageName: STAGE,
      throttlingRateLimit: rate,
      throttlingBurstLimit: burst,
      accessLogDestination: new apigateway.LogGroupLogDestination(this.accessLogs),
      accessLogFormat: apigateway.AccessLogFormat.custom(JSON.stringify(ACCESS_LOG_FIELDS)),
      // Errors only: full execution logs would hold contents and signed URLs.
      loggingLevel: apigateway.MethodLoggingLevel.ERROR,
      dataTraceEnabled: false,
      // Metrics of the stage are free. Metrics by method cost ten times those that the functions
      // report by route.
      metricsEnabled: false,
      ...(props.tracing === true && { tracingEnabled: true }),
      methodOptions: throttlePublicMethods(rate, burst),
    };
  }

  /**
   * API Gateway writes execution logs into a group of this name, and makes it when it is missing:
   * without retention, and outside of the stack. So the stack makes it before the stage.
   */
  private createExecutionLogs({ logRetention, removalPolicy, encryptionKey }: LogOptions): void {
    const executionLogs = createLogGroup(this, 'ExecutionLogs', {
      logRetention,
      removalPolicy,
      encryptionKey,
      logGroupName: `API-Gateway-Execution-Logs_${this.restApi.restApiId}/${STAGE}`,
    });
    this.restApi.deploymentStage.node.addDependency(executionLogs);
  }

  private acknowledge(tracing: boolean): void {
    if (!tracing) {
      Validations.of(this.restApi.deploymentStage).acknowledge({
        id: 'Serverless-APIGWXrayEnabled',
        reason:
          'Traces cost money for each request and are a setting. Without them the access log has the id and the latency of every request.',
      });
    }
    Validations.of(this.restApi).acknowledge(
      {
        id: 'AwsSolutions-APIG2',
        reason:
          'Bodies are opaque bytes that no model can check. The functions validate every input, and the gateway rejects malformed tokens.',
      },
      {
        id: 'AwsSolutions-APIG3',
        reason:
          'Without a web ACL, stage throttling and the limits of each key bound a flood. A deployer who needs more associates a web ACL with the stage.',
      },
      {
        id: 'AwsSolutions-COG4',
        reason:
          'Clients are machines with API keys of 256 random bits, checked by the token authorizer on every method. A user pool has no such keys.',
      },
      {
        id: 'AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs]',
        reason:
          'Only API Gateway can assume the role of the account setting, which can only write logs. AWS maintains the policy.',
      },
    );
  }
}

function integration(
  handler: lambda.IFunction,
  streaming: boolean,
  timeout: Duration,
): apigateway.LambdaIntegration {
  const { STREAM, BUFFERED } = apigateway.ResponseTransferMode;
  return new apigateway.LambdaIntegration(handler, {
    responseTransferMode: streaming ? STREAM : BUFFERED,
    timeout,
    // One statement per function instead of one per method: a function's policy holds 20 KB.
    scopePermissionToMethod: false,
  });
}
