import { Token } from 'aws-cdk-lib';
import type * as s3 from 'aws-cdk-lib/aws-s3';
import { CLOUDFRONT_REGION } from './cloudfront-region';

/** Options of the CloudFront distribution in front of both APIs. */
export interface EdgeOptions {
  /**
   * Your own domain name, such as `files.example.com`. Point it at the distribution (output
   * `EdgeDomainName`) by a CNAME or alias record.
   *
   * @default - the name that CloudFront gives the distribution
   */
  readonly domainName?: string;

  /**
   * ARN of the certificate for `domainName` in AWS Certificate Manager in us-east-1, the only
   * region that CloudFront accepts.
   *
   * @default - none; required with `domainName`
   */
  readonly certificateArn?: string;

  /**
   * Requests that one IP address may send within five minutes, 10 to 2,000,000,000, counted by a
   * web ACL that the stack creates in us-east-1, where web ACLs of CloudFront are; `false`: no web
   * ACL. It costs $7 a month, and $0.60 for a million requests.
   *
   * @default - 100,000 in us-east-1; elsewhere no web ACL without `webAclArn`
   */
  readonly requestsPerFiveMinutes?: number | false;

  /**
   * ARN of an existing web ACL of scope CLOUDFRONT, instead of one that the stack creates.
   *
   * @default - none
   */
  readonly webAclArn?: string;

  /**
   * Version of the secret by which both APIs recognize the distribution, so that no request gets
   * past it. Raise it by one to rotate the secret, after a deployment with
   * `acceptNextOriginSecret`: docs/operations.md, "Rotation".
   *
   * @default 1
   */
  readonly originSecretVersion?: number;

  /**
   * Whether both APIs accept the next version of the secret too: the first half of a rotation. The
   * second secret costs $0.40 a month.
   *
   * @default false
   */
  readonly acceptNextOriginSecret?: boolean;

  /**
   * Whether downloads go from the distribution to the function download itself, past API Gateway,
   * which costs $3.50 less per million. The limits of each key and the web ACL apply as before, the
   * throttle of the REST API's stage does not: what bounds a flood of made-up keys is the web ACL,
   * and the function's share of the account's concurrency. The function logs each request in place
   * of the REST API's access log. Needs `responseStreaming`.
   *
   * @default false
   */
  readonly directDownloads?: boolean;

  /**
   * Bucket for CloudFront's standard logs; its object ownership must allow ACLs. The logs contain
   * query strings, which include the one-use tickets of channels and the secrets of links: who can
   * read the logs can open the links. Standard logging v2 can leave the field cs-uri-query out.
   *
   * @default - none: the access logs of the two APIs have a line for each request that passes
   */
  readonly logBucket?: s3.IBucket;
}

/**
 * Throws an Error that names the prop, the value and what to write instead. `region` is that of the
 * stack, and may be a token.
 */
export function validateEdge(edge: EdgeOptions, region: string): void {
  checkDomain(edge);
  checkWebAcl(edge, region);
  const { originSecretVersion: version } = edge;
  if (version !== undefined && !(Number.isSafeInteger(version) && version > 0)) {
    throw new Error(`edge.originSecretVersion must be a whole number from 1, got ${version}`);
  }
}

const DOMAIN = /^(?=.{4,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9]$/;

function checkDomain({ domainName, certificateArn }: EdgeOptions): void {
  if ((domainName === undefined) !== (certificateArn === undefined)) {
    const [given, missing] =
      domainName === undefined
        ? ['certificateArn', 'domainName']
        : ['domainName', 'certificateArn'];
    throw new Error(
      `edge.${given} needs edge.${missing}: set both, or neither for CloudFront's name`,
    );
  }
  if (isKnown(domainName) && !DOMAIN.test(domainName)) {
    throw new Error(
      `edge.domainName must be a domain name in lower case such as 'files.example.com', got '${domainName}'`,
    );
  }
  checkArn('certificateArn', certificateArn, /^arn:[\w-]+:acm:us-east-1:\d{12}:certificate\/.+$/);
}

function checkWebAcl({ requestsPerFiveMinutes, webAclArn }: EdgeOptions, region: string): void {
  checkArn('webAclArn', webAclArn, /^arn:[\w-]+:wafv2:us-east-1:\d{12}:global\/webacl\/.+$/);
  if (requestsPerFiveMinutes === undefined || requestsPerFiveMinutes === false) return;
  if (webAclArn !== undefined) {
    throw new Error(
      'edge.requestsPerFiveMinutes and edge.webAclArn exclude each other: add a rate rule to your web ACL',
    );
  }
  // Without a region, the web ACL has a condition: web-acl.ts.
  if (isKnown(region) && region !== CLOUDFRONT_REGION) {
    throw new Error(
      `edge.requestsPerFiveMinutes needs a stack in ${CLOUDFRONT_REGION}, this one is in ${region}: create the web ACL there and pass edge.webAclArn`,
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
      `edge.${name} must be an ARN in ${CLOUDFRONT_REGION}, the only region that CloudFront can use, got '${arn}'`,
    );
  }
}

function isKnown(value: string | undefined): value is string {
  return value !== undefined && !Token.isUnresolved(value);
}
