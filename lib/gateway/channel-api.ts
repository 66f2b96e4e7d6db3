import { Aws, Duration, Stack, Token, Validations } from 'aws-cdk-lib';
import * as apigateway from 'aws-cdk-lib/aws-apigateway';
import * as apigatewayv2 from 'aws-cdk-lib/aws-apigatewayv2';
import { WebSocketLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import * as iam from 'aws-cdk-lib/aws-iam';
import type * as lambda from 'aws-cdk-lib/aws-lambda';
import type * as logs from 'aws-cdk-lib/aws-logs';
import { Construct, type IDependable } from 'constructs';
import { createLogGroup, type LogOptions } from '../storage/log-group';

/** Options of the change channel. */
export interface ChannelApiOptions extends LogOptions {
  /**
   * Handshakes and client messages per second that the whole API accepts. Below it, a connection
   * may send 20 messages a second, and API Gateway opens 500 connections a second per account and
   * region.
   *
   * @default 1000
   */
  readonly syncThrottlingRateLimit?: number;

  /**
   * Handshakes and client messages above the rate that may arrive at once.
   *
   * @default 500
   */
  readonly syncThrottlingBurstLimit?: number;
}

/** API Gateway waits at most 29 s for the response to a handshake. */
const TIMEOUT = Duration.seconds(29);

const STAGE = 'sync';

const ROUTES = ['$connect', '$disconnect', '$default'] as const;

/**
 * The WebSocket API of the change channel. It is created before the functions, which need its
 * address.
 */
export class ChannelApi extends Construct {
  /** The WebSocket API itself. */
  public readonly webSocketApi: apigatewayv2.WebSocketApi;
  /** Its one stage. */
  public readonly stage: apigatewayv2.WebSocketStage;
  /** The log group of its access logs. */
  public readonly accessLogs: logs.LogGroup;
  /** @internal Path of the stage below its host. */
  public readonly stagePath = `/${STAGE}`;
  /** @internal Timeout of the function that serves the channel. */
  public static readonly timeout = TIMEOUT;

  /** @internal */
  constructor(scope: Construct, id: string, props: ChannelApiOptions = {}) {
    super(scope, id);
    this.webSocketApi = new apigatewayv2.WebSocketApi(this, 'WebSocket', {
      apiName: `${Stack.of(this).stackName}-sync`,
      description: 'stowage: change channel',
      routeSelectionExpression: '$request.body.action',
    });
    this.accessLogs = createLogGroup(this, 'AccessLogs', props);
    this.stage = new apigatewayv2.WebSocketStage(this, 'Stage', {
      webSocketApi: this.webSocketApi,
      stageName: STAGE,
      autoDeploy: true,
      throttle: {
        rateLimit: props.syncThrottlingRateLimit ?? 1000,
        burstLimit: props.syncThrottlingBurstLimit ?? 500,
      },
      accessLogSettings: {
        destination: new apigatewayv2.LogGroupLogDestination(this.accessLogs),
        format: apigateway.AccessLogFormat.custom(JSON.stringify(ACCESS_LOG_FIELDS)),
      },
    });
  }

  /** Its own host, which the edge has as origin. */
  public get host(): string {
    return `${this.webSocketApi.apiId}.execute-api.${Aws.REGION}.${Aws.URL_SUFFIX}`;
  }

  /** `wss://…`: the URL that clients open when there is no edge. */
  public get url(): string {
    return this.stage.url;
  }

  /** @internal `https://…`: the endpoint for posting messages to connections. */
  public get connectionsEndpoint(): string {
    return this.stage.callbackUrl;
  }

  /** @internal Sends handshakes, messages and disconnects to one function. */
  public handleBy(handler: lambda.IFunction): void {
    for (const routeKey of ROUTES) {
      // One integration per route: the CDK adds the permission to invoke the function for the first
      // route of an integration only.
      const integration = new WebSocketLambdaIntegration('Integration', handler, {
        timeout: TIMEOUT,
      });
      const route = this.webSocketApi.addRoute(routeKey, { integration });
      // Without the dependency, the first deployment of the stage could lack a route.
      this.stage.node.addDependency(route);
      Validations.of(route).acknowledge({
        id: 'AwsSolutions-APIG4',
        reason:
          "The function checks the API key or the one-use ticket in $connect: an authorizer would run for each handshake too, and could not return the service's own errors. Without a valid credential no connection opens, and every message is authorized by the key that opened its connection.",
      });
    }
  }

  /**
   * @internal API Gateway accepts a log destination only after the account's log role is set: see
   * RestApiOptions.
   */
  public createAfter(logRole: IDependable): void {
    this.stage.node.addDependency(logRole);
  }

  /** @internal Allows sending messages to connections. */
  public grantPost(grantee: iam.IGrantable): iam.Grant {
    return this.grant(grantee, 'POST');
  }

  /** @internal Allows checking whether a connection is open. */
  public grantCheck(grantee: iam.IGrantable): iam.Grant {
    return this.grant(grantee, 'GET');
  }

  /** @internal Allows closing connections. */
  public grantDisconnect(grantee: iam.IGrantable): iam.Grant {
    return this.grant(grantee, 'DELETE');
  }

  /**
   * https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-websocket-control-access-iam.html
   */
  private grant(grantee: iam.IGrantable, method: 'POST' | 'GET' | 'DELETE'): iam.Grant {
    const { apiId } = this.webSocketApi;
    const resource = `${this.stage.stageName}/${method}/@connections/*`;
    const principal = grantee.grantPrincipal;
    if (Construct.isConstruct(principal)) {
      const stack = Stack.of(this);
      const logicalId = stack.getLogicalId(requireCfn(this.webSocketApi));
      // cdk-nag reports values that are known at synth as they are.
      const region = Token.isUnresolved(stack.region) ? '<AWS::Region>' : stack.region;
      const account = Token.isUnresolved(stack.account) ? '<AWS::AccountId>' : stack.account;
      Validations.of(principal).acknowledge({
        id: `AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:execute-api:${region}:${account}:<${logicalId}>/${resource}]`,
        reason:
          'API Gateway creates connection ids at run time, so the grant names the stage and the method. It covers no connection of another API.',
      });
    }
    return iam.Grant.addToPrincipal({
      grantee,
      actions: ['execute-api:ManageConnections'],
      resourceArns: [
        Stack.of(this).formatArn({
          service: 'execute-api',
          resource: apiId,
          resourceName: resource,
        }),
      ],
    });
  }
}

/**
 * There is no query string, which may hold a ticket, and no message. API Gateway chooses every
 * value: `routeKey` is one of ROUTES.
 */
const ACCESS_LOG_FIELDS = {
  time: '$context.requestTime',
  request_id: '$context.requestId',
  extended_request_id: '$context.extendedRequestId',
  connection_id: '$context.connectionId',
  message_id: '$context.messageId',
  event: '$context.eventType',
  route: '$context.routeKey',
  source_ip: '$context.identity.sourceIp',
  status: '$context.status',
  integration_latency_ms: '$context.integrationLatency',
  error_type: '$context.error.responseType',
  integration_error: '$context.integrationErrorMessage',
} as const;

function requireCfn(api: apigatewayv2.WebSocketApi): apigatewayv2.CfnApi {
  const child = api.node.defaultChild;
  if (!(child instanceof apigatewayv2.CfnApi))
    throw new Error('the WebSocket API has no CfnApi child');
  return child;
}
