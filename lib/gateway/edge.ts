import { Duration, Stack, Validations } from 'aws-cdk-lib';
import * as acm from 'aws-cdk-lib/aws-certificatemanager';
import * as cloudfront from 'aws-cdk-lib/aws-cloudfront';
import {
  FunctionUrlOrigin,
  HttpOrigin,
  type HttpOriginProps,
} from 'aws-cdk-lib/aws-cloudfront-origins';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import type * as wafv2 from 'aws-cdk-lib/aws-wafv2';
import { Construct } from 'constructs';
import { BASE_PATH } from '../../service/routes/routes';
import {
  DOWNLOAD_ORIGIN,
  OBJECTS_PATH,
  REST_ORIGIN,
  SYNC_PATH,
  viewerRequestCode,
} from './edge-function';
import type { EdgeOptions } from './edge-options';
import { ORIGIN_SECRET_HEADER } from './origin-secret';
import { responseHeaders } from './response-headers';
import { addWebAcl } from './web-acl';

/** The host and the path of an API's stage. */
export interface EdgeOrigin {
  readonly host: string;
  readonly stagePath: string;
}

export interface EdgeProps extends EdgeOptions {
  /** The REST API, and the WebSocket API of the channel. */
  readonly apis: readonly [EdgeOrigin, EdgeOrigin];
  /** The secret that the distribution sends to both APIs. */
  readonly originSecret: string;
  /** The function download. */
  readonly download: lambda.IFunction;
  /** Origins whose pages may use the interface. */
  readonly allowedOrigins?: readonly string[];
}

/** Time that CloudFront waits for the next bytes of a response. Functions respond within 29 s. */
const READ_TIMEOUT = Duration.seconds(60);

/**
 * Errors that CloudFront caches for 10 seconds by default, whatever the cache policy says and, for
 * most, whatever Cache-Control says. It would return them to every caller of the path, with any
 * query and any key. It caches other errors only when the response has a max-age.
 * https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/HTTPStatusCodes.html
 */
const UNCACHED_ERRORS: cloudfront.ErrorResponse[] = [404, 405, 414, 500, 501, 502, 503, 504].map(
  (httpStatus) => ({ httpStatus, ttl: Duration.seconds(0) }),
);

/**
 * One address for dashboard, REST API and channel. It depends only on the names of the two APIs, so
 * functions and sign-in can get its address without a circular dependency.
 */
export class Edge extends Construct {
  /** The distribution, such as for its metrics and DNS records. */
  public readonly distribution: cloudfront.Distribution;
  /** `files.example.com`: the host that clients connect to. */
  public readonly host: string;
  /** @internal The web ACL that the stack creates. */
  public readonly webAcl?: wafv2.CfnWebACL;

  /** @internal */
  constructor(scope: Construct, id: string, props: EdgeProps) {
    super(scope, id);
    const { domainName, certificateArn, logBucket } = props;
    const [rest, channel] = props.apis;
    const behavior = this.behavior(props, responseHeaders(this, 'SecurityHeaders'));
    const { allowedOrigins = [] } = props;
    const hasPages = allowedOrigins.length > 0;
    // Only the interface: a page of another origin has no business in the administration.
    const ofInterface = hasPages
      ? { ...behavior, responseHeadersPolicy: responseHeaders(this, 'Cors', allowedOrigins) }
      : behavior;
    const webAcl = addWebAcl(this, props);
    this.webAcl = webAcl?.own;
    const customHeaders = { [ORIGIN_SECRET_HEADER]: props.originSecret };
    const restOrigin = stageOrigin(rest, { originId: REST_ORIGIN, customHeaders });
    this.distribution = new cloudfront.Distribution(this, 'Distribution', {
      comment: `stowage: ${Stack.of(this).stackName}`,
      httpVersion: cloudfront.HttpVersion.HTTP2_AND_3,
      ...(domainName !== undefined && { domainNames: [domainName] }),
      ...(certificateArn !== undefined && {
        certificate: acm.Certificate.fromCertificateArn(this, 'Certificate', certificateArn),
        minimumProtocolVersion: cloudfront.SecurityPolicyProtocol.TLS_V1_2_2021,
      }),
      webAclId: webAcl?.arn,
      ...(logBucket !== undefined && { enableLogging: true, logBucket }),
      errorResponses: UNCACHED_ERRORS,
      defaultBehavior: { ...behavior, origin: restOrigin },
      // The function selects the REST API for plain GETs of this path. The reverse would need the
      // function's selection to apply to an upgrade, which AWS does not document.
      additionalBehaviors: {
        [SYNC_PATH]: {
          ...ofInterface,
          origin: stageOrigin(channel, { originId: 'sync', customHeaders }),
        },
        ...(props.directDownloads === true && {
          [OBJECTS_PATH]: { ...ofInterface, origin: this.downloadOrigin(props.download) },
        }),
        ...(hasPages && { [`${BASE_PATH}/*`]: { ...ofInterface, origin: restOrigin } }),
      },
    });
    this.host = domainName ?? this.distribution.distributionDomainName;
    this.acknowledge(props, webAcl !== undefined);
  }

  /** `https://files.example.com`, without a path. */
  public get origin(): string {
    return `https://${this.host}`;
  }

  /** The URL of the dashboard. */
  public get address(): string {
    return `${this.origin}/`;
  }

  /** The URL that clients open to follow changes. */
  public get syncUrl(): string {
    return `wss://${this.host}${SYNC_PATH}`;
  }

  /**
   * @internal Both APIs change which secrets they accept only after every location of CloudFront
   * sends the new one.
   */
  public changeBefore(...parts: readonly Construct[]): void {
    for (const part of parts) part.node.addDependency(this.distribution);
  }

  /** The same for each path: nothing is cached, all headers except Host reach the origin. */
  private behavior(
    options: EdgeProps,
    responseHeadersPolicy: cloudfront.ResponseHeadersPolicy,
  ): cloudfront.AddBehaviorOptions {
    return {
      allowedMethods: cloudfront.AllowedMethods.ALLOW_ALL,
      cachePolicy: cloudfront.CachePolicy.CACHING_DISABLED,
      // API Gateway finds the API by Host, so it must be the origin's. Authorization is forwarded
      // like all other headers.
      originRequestPolicy: cloudfront.OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER,
      // With a redirect a client would send its key in clear text without notice.
      viewerProtocolPolicy: cloudfront.ViewerProtocolPolicy.HTTPS_ONLY,
      responseHeadersPolicy,
      // CloudFront compresses cached responses only.
      compress: false,
      functionAssociations: [
        {
          eventType: cloudfront.FunctionEventType.VIEWER_REQUEST,
          function: new cloudfront.Function(this, 'ViewerRequest', {
            runtime: cloudfront.FunctionRuntime.JS_2_0,
            code: cloudfront.FunctionCode.fromInline(viewerRequestCode(options)),
            comment: 'Sends handshakes to the channel, refuses large bodies, answers preflights',
          }),
        },
      ],
    };
  }

  /**
   * A URL of the function that only this distribution may invoke: it signs each request, in
   * Authorization.
   * https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/private-content-restricting-access-to-lambda.html
   */
  private downloadOrigin(download: lambda.IFunction): cloudfront.IOrigin {
    const url = new lambda.FunctionUrl(this, 'DownloadUrl', {
      function: download,
      authType: lambda.FunctionUrlAuthType.AWS_IAM,
      invokeMode: lambda.InvokeMode.RESPONSE_STREAM,
    });
    return FunctionUrlOrigin.withOriginAccessControl(url, {
      originId: DOWNLOAD_ORIGIN,
      readTimeout: READ_TIMEOUT,
    });
  }

  private acknowledge({ certificateArn, logBucket }: EdgeProps, hasWebAcl: boolean): void {
    const acknowledge = (id: string, reason: string) =>
      Validations.of(this.distribution).acknowledge({ id: `AwsSolutions-${id}`, reason });
    acknowledge(
      'CFR1',
      'Only the deployer can know the countries from which the service may be used. Every request needs an API key.',
    );
    if (!hasWebAcl) {
      acknowledge(
        'CFR2',
        'Without a web ACL, stage throttling and the limits of each key bound a flood, at the cost of refusing it. edge.webAclArn adds a web ACL, in us-east-1 edge.requestsPerFiveMinutes.',
      );
    }
    if (logBucket === undefined) {
      acknowledge(
        'CFR3',
        'The access logs of both APIs have a line for each request that passes, without query strings. Requests refused at the edge are counted, and listed if edge.logBucket is set.',
      );
    }
    if (certificateArn === undefined) {
      acknowledge(
        'CFR4',
        'CloudFront fixes the protocols of its own domain name, so an outdated client could use TLS 1.0. With edge.domainName and a certificate it is TLS 1.2 or later.',
      );
    }
  }
}

function stageOrigin(stage: EdgeOrigin, options: HttpOriginProps): HttpOrigin {
  return new HttpOrigin(stage.host, {
    ...options,
    originPath: stage.stagePath,
    protocolPolicy: cloudfront.OriginProtocolPolicy.HTTPS_ONLY,
    originSslProtocols: [cloudfront.OriginSslPolicy.TLS_V1_2],
    readTimeout: READ_TIMEOUT,
  });
}
