import { Aws, Duration, RemovalPolicy, Validations } from 'aws-cdk-lib';
import * as apigateway from 'aws-cdk-lib/aws-apigateway';
import type * as lambda from 'aws-cdk-lib/aws-lambda';
import { Construct, type IDependable } from 'constructs';
import { createLogGroup, type LogOptions } from '../monitoring/log-group';
import { nameInAccount } from '../service-name';
import { ACCESS_LOG_FIELDS } from './access-log';
import { addGatewayResponses } from './gateway-responses';

/** What a deployer may decide about the REST API. */
export interface RestApiOptions extends LogOptions {
  /**
   * Whether answers are streamed: up to 10 MB inline instead of 4 MiB, and no base64. Switch it off
   * in partitions where API Gateway has no response streaming.
   *
   * @default true
   */
  readonly responseStreaming?: boolean;

  /**
   * Requests per second that the whole API accepts. The outer wall; the limits of a key lie below
   * it.
   *
   * @default 1000
   */
  readonly throttlingRateLimit?: number;

  /**
   * Requests that may arrive at once above the rate.
   *
   * @default 500
   */
  readonly throttlingBurstLimit?: number;

  /**
   * Whether to let API Gateway write logs in this account and region, by a role in its account
   * settings. There is one such setting per account and region: switch it off where it is managed
   * elsewhere.
   *
   * @default true
   */
  readonly apiGatewayLogRole?: boolean;

  /** See ServiceFunctionOptions. */
  readonly tracing?: boolean;
}

export interface RestApiProps extends RestApiOptions {
  readonly authorizer: lambda.IFunction;
  /** Serves everything but the download of objects. */
  readonly api: lambda.IFunction;
  /** Serves GET and HEAD of an object. */
  readonly download: lambda.IFunction;
  /** Serves the administration, and judges who may use it. */
  readonly admin: lambda.IFunction;
  /** Serves the files of the dashboard. */
  readonly site: lambda.IFunction;
}

/**
 * `Bearer osk_<id>_<secret>_<crc>`, docs/api.md, "Keys": the gateway refuses anything else without
 * a function call.
 */
const BEARER_API_KEY = '^Bearer osk_[0-9A-Za-z]{12}_[0-9A-Za-z]{43}_[0-9A-Za-z]{6}$';

/** API Gateway waits at most 29 s for a buffered answer. */
const BUFFERED_TIMEOUT = Duration.seconds(29);

/** A streamed download of 10 MB takes this long at 85 kB/s. */
const STREAMED_DOWNLOAD_TIMEOUT = Duration.minutes(2);

/**
 * How long the gateway trusts an authorizer's answer. Nobody waits for it: the functions notice
 * when a key was changed since.
 */
const AUTHORIZER_CACHE_TTL = Duration.minutes(5);

const STAGE = 'api';

const ADMINISTRATION = '/admin/v1/{proxy+}';

/**
 * The page of the dashboard, the files that it is made of, and the description of the interface.
 */
const SITE = ['/', '/assets/{file}', '/openapi.json'] as const;

/** The regional REST API; docs/api.md, "Endpoints". */
export class RestApi extends Construct {
  /** The REST API itself. */
  public readonly restApi: apigateway.RestApi;
  /** @internal Path of the stage below its host. */
  public static readonly stagePath = `/${STAGE}`;
  /** @internal How long `api` may take to answer; its function need not live longer. */
  public static readonly apiTimeout = BUFFERED_TIMEOUT;
  /** @internal The account's log role, where this API sets it: no stage may log before. */
  public readonly logRole: IDependable | undefined;
  private readonly authorizer: apigateway.TokenAuthorizer;

  /** @internal */
  constructor(scope: Construct, id: string, props: RestApiProps) {
    super(scope, id);
    const streaming = props.responseStreaming ?? true;
    const logRole = props.apiGatewayLogRole ?? true;

    this.restApi = new apigateway.RestApi(this, 'Rest', {
      // Its metrics are told apart by this name, not by its id.
      restApiName: nameInAccount(scope, '-'),
      description: 'stowage: object storage',
      endpointConfiguration: { types: [apigateway.EndpointType.REGIONAL] },
      // Bodies reach the functions as bytes, whatever their Content-Type says.
      binaryMediaTypes: ['*/*'],
      cloudWatchRole: logRole,
      // Other APIs of the account may have come to rely on it.
      cloudWatchRoleRemovalPolicy: logRole ? RemovalPolicy.RETAIN : undefined,
      deployOptions: this.stageOptions(props),
    });
    this.logRole = this.restApi.node.tryFindChild('Account');
    // The CDK's own output, whose name nobody chose; StorageStack has ApiUrl.
    this.restApi.node.tryRemoveChild('Endpoint');
    addGatewayResponses(this.restApi);
    this.authorizer = new apigateway.TokenAuthorizer(this, 'Authorizer', {
      handler: props.authorizer,
      validationRegex: BEARER_API_KEY,
      resultsCacheTtl: AUTHORIZER_CACHE_TTL,
    });

    this.addRoutes(
      integration(props.api, streaming, BUFFERED_TIMEOUT),
      integration(props.download, streaming, RestApi.downloadTimeout(streaming)),
    );
    this.addAdministration(integration(props.admin, streaming, BUFFERED_TIMEOUT));
    this.addSite(integration(props.site, streaming, BUFFERED_TIMEOUT));
    this.acknowledge(props.tracing === true);
  }

  /** Its own URL without regard to the stage, so that what the functions depend on can name it. */
  public get address(): string {
    return `${this.origin}/${STAGE}/`;
  }

  /** `https://…`, without the stage. */
  public get origin(): string {
    return `https://${this.host}`;
  }

  /** Its own host, behind the edge. */
  public get host(): string {
    return `${this.restApi.restApiId}.execute-api.${Aws.REGION}.${Aws.URL_SUFFIX}`;
  }

  /** @internal How long `download` may take to send its answer. */
  public static downloadTimeout(responseStreaming: boolean): Duration {
    return responseStreaming ? STREAMED_DOWNLOAD_TIMEOUT : BUFFERED_TIMEOUT;
  }

  /**
   * Every path leads to `api`, which answers 404 and 405 in our words, except the download of an
   * object.
   */
  private addRoutes(api: apigateway.Integration, download: apigateway.Integration): void {
    const root = this.restApi.root;
    this.addMethods(root, api, 'ANY');
    this.addMethods(root.addResource('{proxy+}'), api, 'ANY');
    let resource: apigateway.IResource = root;
    for (const part of ['api', 'v2', 'storage', 'objects', '{bucket}', '{key+}']) {
      resource = resource.addResource(part);
      this.addMethods(resource, api, 'ANY');
    }
    this.addMethods(resource, download, 'GET', 'HEAD');
  }

  /**
   * Tokens of people, not API keys: `admin` judges them itself, so that a refusal is answered in
   * our words.
   */
  private addAdministration(admin: apigateway.Integration): void {
    const proxy = this.restApi.root.resourceForPath(ADMINISTRATION);
    const method = proxy.addMethod('ANY', admin, {
      authorizationType: apigateway.AuthorizationType.NONE,
    });
    Validations.of(method).acknowledge({
      id: 'AwsSolutions-APIG4',
      reason:
        'Requests reach the function unauthenticated, which verifies the signed token of each but for the public configuration: the risk is the cost of refusing a flood, held by the throttle of these methods.',
    });
  }

  /**
   * Public: the page holds nothing, and asks for all that it shows with the key of whoever signs in
   * on it.
   */
  private addSite(site: apigateway.Integration): void {
    for (const path of SITE) {
      const resource = this.restApi.root.resourceForPath(path);
      for (const method of ['GET', 'HEAD']) {
        const added = resource.addMethod(method, site, {
          authorizationType: apigateway.AuthorizationType.NONE,
        });
        Validations.of(added).acknowledge({
          id: 'AwsSolutions-APIG4',
          reason:
            'The files of the dashboard are the same for everybody and must be there before anybody can sign in: the risk is the cost of a flood, held by the throttle of these methods.',
        });
      }
    }
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
    const accessLogs = createLogGroup(this, 'AccessLogs', props);
    const { throttlingRateLimit: rate = 1000, throttlingBurstLimit: burst = 500 } = props;
    return {
      stageName: STAGE,
      throttlingRateLimit: rate,
      throttlingBurstLimit: burst,
      accessLogDestination: new apigateway.LogGroupLogDestination(accessLogs),
      accessLogFormat: apigateway.AccessLogFormat.custom(JSON.stringify(ACCESS_LOG_FIELDS)),
      // Errors only, and never the data: execution logs would hold contents and signed URLs.
      loggingLevel: apigateway.MethodLoggingLevel.ERROR,
      dataTraceEnabled: false,
      // Its own for the stage cost nothing; those by method cost ten times what the functions' by
      // route do.
      metricsEnabled: false,
      ...(props.tracing === true && { tracingEnabled: true }),
      methodOptions: throttles(rate, burst),
    };
  }

  private acknowledge(tracing: boolean): void {
    if (!tracing) {
      Validations.of(this.restApi.deploymentStage).acknowledge({
        id: 'Serverless-APIGWXrayEnabled',
        reason:
          'Traces cost money for each request and are a setting: without them the access log has the id and the latency of every request.',
      });
    }
    Validations.of(this.restApi).acknowledge(
      {
        id: 'AwsSolutions-APIG2',
        reason:
          'Bodies are opaque bytes that no model can check; the functions parse every input as hostile and the gateway rejects malformed tokens.',
      },
      {
        id: 'AwsSolutions-APIG3',
        reason:
          'Without a web ACL floods are held by stage throttling and by the limits of each key; who needs more associates a web ACL of their own with the stage.',
      },
      {
        id: 'AwsSolutions-COG4',
        reason:
          'Clients are machines with API keys of 256 random bits, checked by the token authorizer on every method; a user pool has no such keys.',
      },
      {
        id: 'AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs]',
        reason:
          'The role of the account setting can be assumed by API Gateway only and can do nothing but write logs; AWS keeps the policy in step with the service.',
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

/**
 * Of all people together: pages ask a few at a time. Never above what the whole API accepts.
 * Settings of a stage know no ANY.
 */
function throttles(
  rate: number,
  burst: number,
): Record<string, apigateway.MethodDeploymentOptions> {
  const options: apigateway.MethodDeploymentOptions = {
    throttlingRateLimit: Math.min(rate, 50),
    throttlingBurstLimit: Math.min(burst, 100),
    loggingLevel: apigateway.MethodLoggingLevel.ERROR,
    dataTraceEnabled: false,
    metricsEnabled: false,
  };
  const methods = ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT'];
  return Object.fromEntries([
    ...methods.map((method) => [`${ADMINISTRATION}/${method}`, options]),
    ...SITE.flatMap((path) => ['GET', 'HEAD'].map((method) => [`${path}/${method}`, options])),
  ]);
}
