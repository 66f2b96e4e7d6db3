import { Aws, Duration, Names, Stack, Validations } from 'aws-cdk-lib';
import * as acm from 'aws-cdk-lib/aws-certificatemanager';
import * as cloudfront from 'aws-cdk-lib/aws-cloudfront';
import { HttpOrigin, type HttpOriginProps } from 'aws-cdk-lib/aws-cloudfront-origins';
import * as wafv2 from 'aws-cdk-lib/aws-wafv2';
import { Construct } from 'constructs';
import { REST_ORIGIN, SYNC_PATH, viewerRequestCode } from './edge-function';
import type { EdgeOptions } from './edge-options';

/** A stage of an API: the host and the path under which it is. */
export interface EdgeOrigin {
  readonly host: string;
  readonly path: string;
}

export interface EdgeProps extends EdgeOptions {
  readonly rest: EdgeOrigin;
  readonly channel: EdgeOrigin;
}

/** CloudFront waits as long for the next bytes of an answer; the functions answer within 29 s. */
const READ_TIMEOUT = Duration.seconds(60);

/**
 * One origin for dashboard, REST API and channel. It needs nothing but the names of the two APIs,
 * so that the functions behind them, and the sign-in, can be told its own.
 */
export class Edge extends Construct {
  /** The distribution, such as for its metrics and DNS records. */
  public readonly distribution: cloudfront.Distribution;
  /** `files.example.com`: what clients connect to. */
  public readonly host: string;

  /** @internal */
  constructor(scope: Construct, id: string, props: EdgeProps) {
    super(scope, id);
    const { domainName, certificateArn, logBucket } = props;
    const behavior = this.behavior();
    this.distribution = new cloudfront.Distribution(this, 'Distribution', {
      comment: `stowage: ${Stack.of(this).stackName}`,
      httpVersion: cloudfront.HttpVersion.HTTP2_AND_3,
      ...(domainName !== undefined && { domainNames: [domainName] }),
      ...(certificateArn !== undefined && {
        certificate: acm.Certificate.fromCertificateArn(this, 'Certificate', certificateArn),
        minimumProtocolVersion: cloudfront.SecurityPolicyProtocol.TLS_V1_2_2021,
      }),
      webAclId: props.webAclArn ?? this.webAcl(props.requestsPerFiveMinutes)?.attrArn,
      ...(logBucket !== undefined && { enableLogging: true, logBucket }),
      defaultBehavior: { ...behavior, origin: stageOrigin(props.rest, { originId: REST_ORIGIN }) },
      // The function turns plain GETs of the path over to the REST API. The other way round, the
      // choice of an origin by the function would have to hold for an upgrade too, which no page of
      // AWS promises.
      additionalBehaviors: {
        [SYNC_PATH]: { ...behavior, origin: stageOrigin(props.channel, { originId: 'sync' }) },
      },
    });
    this.host = domainName ?? this.distribution.distributionDomainName;
    this.acknowledge(props);
  }

  /** `https://files.example.com`, without a path. */
  public get origin(): string {
    return `https://${this.host}`;
  }

  /** What people open: the dashboard. */
  public get address(): string {
    return `${this.origin}/`;
  }

  /** What clients open to follow changes. */
  public get syncUrl(): string {
    return `wss://${this.host}${SYNC_PATH}`;
  }

  /** The same for each path: nothing is cached, everything but Host reaches the origin. */
  private behavior(): cloudfront.AddBehaviorOptions {
    return {
      allowedMethods: cloudfront.AllowedMethods.ALLOW_ALL,
      cachePolicy: cloudfront.CachePolicy.CACHING_DISABLED,
      // With the viewer's Host API Gateway would not know the API; Authorization goes with all
      // other headers.
      originRequestPolicy: cloudfront.OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER,
      // A redirect would hide from a client that it sends its key in clear text.
      viewerProtocolPolicy: cloudfront.ViewerProtocolPolicy.HTTPS_ONLY,
      responseHeadersPolicy: this.securityHeaders(),
      // Answers that are not cached are never compressed.
      compress: false,
      functionAssociations: [
        {
          eventType: cloudfront.FunctionEventType.VIEWER_REQUEST,
          function: new cloudfront.Function(this, 'ViewerRequest', {
            runtime: cloudfront.FunctionRuntime.JS_2_0,
            code: cloudfront.FunctionCode.fromInline(viewerRequestCode()),
            comment: 'Sends handshakes to the channel, refuses bodies that are too large',
          }),
        },
      ],
    };
  }

  /**
   * What the functions say themselves stands, where it may be more particular: the dashboard's and
   * objects' own policies.
   */
  private securityHeaders(): cloudfront.ResponseHeadersPolicy {
    return new cloudfront.ResponseHeadersPolicy(this, 'SecurityHeaders', {
      // CloudFront's names are global: the same stack may be in two regions.
      responseHeadersPolicyName: `stowage-${this.node.addr.slice(-8)}-${Stack.of(this).stackName}-${Aws.REGION}`,
      securityHeadersBehavior: {
        contentSecurityPolicy: {
          // As core says of stored bytes: nothing of an answer is ever run as a page of this
          // origin.
          contentSecurityPolicy: "sandbox; default-src 'none'",
          override: false,
        },
        contentTypeOptions: { override: true },
        frameOptions: { frameOption: cloudfront.HeadersFrameOption.DENY, override: true },
        referrerPolicy: {
          referrerPolicy: cloudfront.HeadersReferrerPolicy.NO_REFERRER,
          override: true,
        },
        strictTransportSecurity: { accessControlMaxAge: Duration.days(365), override: true },
      },
    });
  }

  private webAcl(requestsPerFiveMinutes: number | undefined): wafv2.CfnWebACL | undefined {
    if (requestsPerFiveMinutes === undefined) return undefined;
    return new wafv2.CfnWebACL(this, 'WebAcl', {
      scope: 'CLOUDFRONT',
      defaultAction: { allow: {} },
      // The dimension by which CloudWatch tells this web ACL from those of other stacks.
      visibilityConfig: visibility(Names.uniqueResourceName(this, { maxLength: 128 })),
      customResponseBodies: {
        [RATE_LIMITED]: { contentType: 'APPLICATION_JSON', content: JSON.stringify(TOO_MANY) },
      },
      rules: [
        {
          name: RATE_LIMITED,
          priority: 0,
          statement: {
            rateBasedStatement: { aggregateKeyType: 'IP', limit: requestsPerFiveMinutes },
          },
          action: {
            block: {
              customResponse: {
                responseCode: 429,
                customResponseBodyKey: RATE_LIMITED,
                responseHeaders: [{ name: 'Retry-After', value: '60' }],
              },
            },
          },
          visibilityConfig: visibility('rate'),
        },
      ],
    });
  }

  private acknowledge({ certificateArn, logBucket, ...props }: EdgeProps): void {
    const acknowledge = (id: string, reason: string) =>
      Validations.of(this.distribution).acknowledge({ id: `AwsSolutions-${id}`, reason });
    acknowledge(
      'CFR1',
      'Whose service this is decides from where it may be used, which no default can know; every request needs a key that was given out on purpose.',
    );
    if (props.webAclArn === undefined && props.requestsPerFiveMinutes === undefined) {
      acknowledge(
        'CFR2',
        'Without a web ACL floods are held by stage throttling and by the limits of each key, at the cost of refusing them; edge.requestsPerFiveMinutes adds one.',
      );
    }
    if (logBucket === undefined) {
      acknowledge(
        'CFR3',
        'The access logs of both APIs tell of each request that passes, without query strings; what is refused here, before them, is counted but not listed unless edge.logBucket is set.',
      );
    }
    if (certificateArn === undefined) {
      acknowledge(
        'CFR4',
        'CloudFront fixes the protocols of its own domain name, so an outdated client could still speak TLS 1.0; with edge.domainName and a certificate it is TLS 1.2 or later.',
      );
    }
  }
}

function stageOrigin(stage: EdgeOrigin, options: HttpOriginProps): HttpOrigin {
  return new HttpOrigin(stage.host, {
    ...options,
    originPath: stage.path,
    protocolPolicy: cloudfront.OriginProtocolPolicy.HTTPS_ONLY,
    originSslProtocols: [cloudfront.OriginSslPolicy.TLS_V1_2],
    readTimeout: READ_TIMEOUT,
  });
}

const RATE_LIMITED = 'rate-limited';

/** AWS WAF fills nothing in: each of its answers has its id in a header. */
const TOO_MANY = {
  error: {
    code: 'rate_limited',
    message:
      'too many requests from this address: wait for the seconds that Retry-After says, then try again',
    request_id: 'see x-amz-cf-id',
  },
};

function visibility(metricName: string): wafv2.CfnWebACL.VisibilityConfigProperty {
  return { metricName, cloudWatchMetricsEnabled: true, sampledRequestsEnabled: false };
}
