/** The web ACL of the distribution: it refuses floods from one address. */
import { Annotations, Aws, Fn, Names, Stack } from 'aws-cdk-lib';
import * as wafv2 from 'aws-cdk-lib/aws-wafv2';
import type { Construct } from 'constructs';
import { LINK_PATH } from '../../service/routes/routes';
import { CLOUDFRONT_REGION, isInCloudFrontRegion } from './cloudfront-region';
import type { EdgeOptions } from './edge-options';

/**
 * A third of what the stage of the REST API accepts by default: one address cannot use up the
 * throttle that all share, and a server can send more than 300 requests a second.
 */
export const DEFAULT_REQUESTS_PER_FIVE_MINUTES = 100_000;

/**
 * Openings of links, which need no API key: a person opens a few, and an office behind one address
 * still has three a second. One address cannot use up the throttle of these methods.
 */
export const LINK_REQUESTS_PER_FIVE_MINUTES = 1000;

/** The web ACL of a distribution. */
export interface EdgeWebAcl {
  /** Its ARN; no value where the condition of the stack's own web ACL is false. */
  readonly arn: string;
  /** The web ACL that the stack creates. */
  readonly own?: wafv2.CfnWebACL;
}

/**
 * Returns the web ACL, or undefined when the distribution gets none. Web ACLs of CloudFront exist
 * in us-east-1 only. A stack without a region creates one if it is deployed there, so the template
 * can be deployed anywhere.
 */
export function addWebAcl(
  scope: Construct,
  options: EdgeOptions & { readonly allowedOrigins?: readonly string[] },
): EdgeWebAcl | undefined {
  const { requestsPerFiveMinutes: limit } = options;
  if (options.webAclArn !== undefined) return { arn: options.webAclArn };
  if (limit === false) return undefined;
  const isThere = isInCloudFrontRegion(scope);
  if (isThere === false) {
    const { region } = Stack.of(scope);
    warn(scope, `this stack is in ${region}, so its distribution gets no web ACL`);
    return undefined;
  }
  const own = createWebAcl(scope, limit, (options.allowedOrigins ?? []).length > 0);
  if (isThere === true) return { arn: own.attrArn, own };
  warn(scope, 'the distribution gets a web ACL only if the stack is deployed there');
  own.cfnOptions.condition = isThere;
  const arn = Fn.conditionIf(isThere.logicalId, own.attrArn, Aws.NO_VALUE).toString();
  return { arn, own };
}

function warn(scope: Construct, what: string): void {
  Annotations.of(scope).addWarningV2(
    'stowage:webAcl',
    `web ACLs of CloudFront exist in ${CLOUDFRONT_REGION} only: ${what}. Set edge.webAclArn to one that you create there (docs/deploy.md, "The edge"), edge.requestsPerFiveMinutes to false, or the stack's region to ${CLOUDFRONT_REGION}`,
  );
}

const RATE_LIMITED = 'rate-limited';

/** AWS WAF has no placeholders: the id of its response is in a header. */
const TOO_MANY = {
  error: {
    code: 'rate_limited',
    message:
      'too many requests from this address: wait for the seconds that Retry-After says, then try again',
    request_id: 'see x-amz-cf-id',
  },
};

/**
 * For pages of other origins. A response of a rule is the same for all requests, so it cannot name
 * the origin; it holds nothing that a page may not read.
 */
const READABLE = [
  { name: 'Access-Control-Allow-Origin', value: '*' },
  { name: 'Access-Control-Expose-Headers', value: '*' },
];

/** A web ACL that counts requests by address, and refuses in the format of the interface. */
export function createWebAcl(
  scope: Construct,
  limit = DEFAULT_REQUESTS_PER_FIVE_MINUTES,
  hasPages = false,
): wafv2.CfnWebACL {
  const responseHeaders = [{ name: 'Retry-After', value: '60' }, ...(hasPages ? READABLE : [])];
  return new wafv2.CfnWebACL(scope, 'WebAcl', {
    scope: 'CLOUDFRONT',
    defaultAction: { allow: {} },
    // CloudWatch distinguishes the web ACLs of several stacks by this dimension.
    visibilityConfig: visibility(Names.uniqueResourceName(scope, { maxLength: 128 })),
    customResponseBodies: {
      [RATE_LIMITED]: { contentType: 'APPLICATION_JSON', content: JSON.stringify(TOO_MANY) },
    },
    rules: [
      rateRule({ name: RATE_LIMITED, priority: 0, metric: 'rate', responseHeaders }, { limit }),
      rateRule(
        { name: 'links', priority: 1, metric: 'links', responseHeaders },
        { limit: Math.min(limit, LINK_REQUESTS_PER_FIVE_MINUTES), scopeDownStatement: OF_LINKS },
      ),
    ],
  });
}

/** Decoded first: an origin may take `/%73/` for `/s/`. */
const OF_LINKS: wafv2.CfnWebACL.StatementProperty = {
  byteMatchStatement: {
    fieldToMatch: { uriPath: {} },
    positionalConstraint: 'STARTS_WITH',
    searchString: LINK_PATH,
    textTransformations: [{ priority: 0, type: 'URL_DECODE' }],
  },
};

interface RateRule {
  readonly name: string;
  readonly priority: number;
  readonly metric: string;
  readonly responseHeaders: wafv2.CfnWebACL.CustomHTTPHeaderProperty[];
}

/** Refuses the requests of an address above the limit, with the response of the interface. */
function rateRule(
  { name, priority, metric, responseHeaders }: RateRule,
  counted: Omit<wafv2.CfnWebACL.RateBasedStatementProperty, 'aggregateKeyType'>,
): wafv2.CfnWebACL.RuleProperty {
  return {
    name,
    priority,
    statement: { rateBasedStatement: { aggregateKeyType: 'IP', ...counted } },
    action: {
      block: {
        customResponse: {
          responseCode: 429,
          customResponseBodyKey: RATE_LIMITED,
          responseHeaders,
        },
      },
    },
    visibilityConfig: visibility(metric),
  };
}

function visibility(metricName: string): wafv2.CfnWebACL.VisibilityConfigProperty {
  return { metricName, cloudWatchMetricsEnabled: true, sampledRequestsEnabled: false };
}
