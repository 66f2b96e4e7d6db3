import { Token } from 'aws-cdk-lib';
import type * as s3 from 'aws-cdk-lib/aws-s3';

/** What a deployer may decide about the CloudFront distribution in front of everything. */
export interface EdgeOptions {
  /**
   * A name of your own, such as `files.example.com`. Point it at the distribution (output
   * `EdgeDomainName`) by a CNAME or alias record.
   *
   * @default - the name that CloudFront gives the distribution
   */
  readonly domainName?: string;

  /**
   * Certificate of `domainName`, of AWS Certificate Manager in us-east-1, where CloudFront looks
   * for it.
   *
   * @default - none; needed with `domainName`
   */
  readonly certificateArn?: string;

  /**
   * Requests that one address may send within five minutes, 10 to 2,000,000,000, counted by AWS WAF
   * with a web ACL of the stack's own. For stacks in us-east-1: web ACLs of CloudFront are made
   * there.
   *
   * @default - no web ACL: floods are held by the throttles of the stages and the limits of each
   * key
   */
  readonly requestsPerFiveMinutes?: number;

  /**
   * A web ACL of scope CLOUDFRONT that exists already, in place of one of the stack's own.
   *
   * @default - none
   */
  readonly webAclArn?: string;

  /**
   * Bucket for CloudFront's standard logs; its object ownership must allow ACLs. They hold query
   * strings, among them the one-use tickets of channels.
   *
   * @default - none: the access logs of the two APIs tell of each request that passes
   */
  readonly logBucket?: s3.IBucket;
}

/** Where certificates and web ACLs of CloudFront are. */
export const CLOUDFRONT_REGION = 'us-east-1';

/**
 * Throws an Error that names the prop, the value and what to write instead. `region`: the stack's,
 * perhaps a token.
 */
export function validateEdge(edge: EdgeOptions, region: string): void {
  checkDomain(edge);
  checkWebAcl(edge, region);
}

const DOMAIN = /^(?=.{4,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9]$/;

function checkDomain({ domainName, certificateArn }: EdgeOptions): void {
  if ((domainName === undefined) !== (certificateArn === undefined)) {
    const [given, missing] =
      domainName === undefined
        ? ['certificateArn', 'domainName']
        : ['domainName', 'certificateArn'];
    throw new Error(`edge.${given} needs edge.${missing}: set both, or none for CloudFront's name`);
  }
  if (isKnown(domainName) && !DOMAIN.test(domainName)) {
    throw new Error(
      `edge.domainName must be a name such as 'files.example.com' in lower case, got '${domainName}'`,
    );
  }
  checkArn('certificateArn', certificateArn, /^arn:[\w-]+:acm:us-east-1:\d{12}:certificate\/.+$/);
}

function checkWebAcl({ requestsPerFiveMinutes, webAclArn }: EdgeOptions, region: string): void {
  checkArn('webAclArn', webAclArn, /^arn:[\w-]+:wafv2:us-east-1:\d{12}:global\/webacl\/.+$/);
  if (requestsPerFiveMinutes === undefined) return;
  if (webAclArn !== undefined) {
    throw new Error(
      'edge.requestsPerFiveMinutes and edge.webAclArn exclude each other: put the rate into a rule of your web ACL',
    );
  }
  if (region !== CLOUDFRONT_REGION) {
    const place = Token.isUnresolved(region) ? 'of no region yet' : `in ${region}`;
    throw new Error(
      `edge.requestsPerFiveMinutes needs a stack in ${CLOUDFRONT_REGION}, this one is ${place}: set the stack's account and region, or make the web ACL there and pass edge.webAclArn`,
    );
  }
  const limit = requestsPerFiveMinutes;
  if (Token.isUnresolved(limit)) return;
  if (!Number.isInteger(limit) || limit < 10 || limit > 2_000_000_000) {
    throw new Error(
      `edge.requestsPerFiveMinutes must be a whole number from 10 to 2000000000, got ${limit}`,
    );
  }
}

function checkArn(name: string, arn: string | undefined, form: RegExp): void {
  if (isKnown(arn) && !form.test(arn)) {
    throw new Error(
      `edge.${name} must be the ARN of one that CloudFront can use, made in ${CLOUDFRONT_REGION}, got '${arn}'`,
    );
  }
}

function isKnown(value: string | undefined): value is string {
  return value !== undefined && !Token.isUnresolved(value);
}
