/**
 * Reads the CloudFront distribution of a stack, once at start. Refuses what is not emulated by
 * logical id and property path.
 */

import { UserError } from '../../errors/user-error';
import type { ResolvedResource, ResolvedStack } from '../../template/model';
import { Properties } from '../../template/properties';
import { resourcesOfType } from '../../template/resources';
import { type RateRuleModel, readRateRules } from './rate-rule';
import { type HeadersPolicy, readHeadersPolicies } from './security-headers';
import { readFunctions, type ViewerRequest } from './viewer-request';

export interface Origin {
  readonly id: string;
  readonly domainName: string;
  /** `/api`: the prefix of the request's path; may be empty. */
  readonly path: string;
  /** Headers of every request to it, in place of the client's: name, value, name, value … */
  readonly headers: readonly string[];
  /** The id of the origin access control with which its requests are signed. */
  readonly accessControlId?: string;
}

export interface Behavior {
  readonly matches: (path: string) => boolean;
  readonly origin: Origin;
  readonly methods: readonly string[];
  readonly viewerRequest?: ViewerRequest;
  readonly policy: HeadersPolicy;
}

export interface EdgeModel {
  readonly id: string;
  /** CloudFront's name in AWS, then the aliases. */
  readonly domainNames: readonly string[];
  readonly origins: ReadonlyMap<string, Origin>;
  /** In order of precedence; the last one matches every path. */
  readonly behaviors: readonly Behavior[];
  /** Seconds for which errors of the origin are kept, by status. */
  readonly errorTtls: ReadonlyMap<number, number>;
  /** The rules of its web ACL; empty without a web ACL of this stack. */
  readonly rateRules: readonly RateRuleModel[];
}

const TYPES = 'AWS::CloudFront::';
const EMULATED = ['Distribution', 'Function', 'OriginAccessControl', 'ResponseHeadersPolicy'];

/** CachingDisabled, and AllViewerExceptHostHeader, which forwards all headers except Host. */
const CACHE_POLICY = '4135ea2d-6df8-44a3-9df3-4b5a84be39ad';
const ORIGIN_REQUEST_POLICY = 'b689b0a8-53d0-40ab-baf2-68738e2966ac';

/** Returns undefined when the stack has no distribution. */
export function readEdge(stack: ResolvedStack): EdgeModel | undefined {
  for (const { type, logicalId } of stack.resources.values()) {
    if (type.startsWith(TYPES) && !EMULATED.includes(type.slice(TYPES.length))) {
      throw new UserError(`${logicalId} (${type}): is not emulated`);
    }
  }
  const [distribution, second] = resourcesOfType(stack, `${TYPES}Distribution`);
  if (distribution === undefined) return undefined;
  if (second !== undefined) {
    throw new UserError(
      `${second.logicalId} (${second.type}): the emulator serves one distribution, and has ${distribution.logicalId}`,
    );
  }
  return readDistribution(distribution, stack);
}

function readDistribution(resource: ResolvedResource, stack: ResolvedStack): EdgeModel {
  const top = new Properties(resource).only('DistributionConfig', 'Tags');
  const config = top.object('DistributionConfig') ?? top.refuse('is missing', 'DistributionConfig');
  config.only(
    'Aliases',
    'CacheBehaviors',
    'Comment',
    'CustomErrorResponses',
    'DefaultCacheBehavior',
    'Enabled',
    'HttpVersion',
    'IPV6Enabled',
    'Logging',
    'Origins',
    'PriceClass',
    'ViewerCertificate',
    'WebACLId',
  );
  if (!config.boolean('Enabled')) config.refuse('must be true', 'Enabled');
  const origins = new Map(
    config
      .objects('Origins')
      .map(readOrigin)
      .map((origin) => [origin.id, origin]),
  );
  const found: Found = {
    origins,
    functions: readFunctions(stack),
    policies: readHeadersPolicies(stack),
  };
  const byDefault =
    config.object('DefaultCacheBehavior') ?? config.refuse('is missing', 'DefaultCacheBehavior');
  return {
    id: resource.physicalId,
    domainNames: [domainName(resource), ...config.strings('Aliases')],
    origins,
    behaviors: [
      ...config.objects('CacheBehaviors').map((behavior) => readBehavior(behavior, found)),
      readBehavior(byDefault, found, '*'),
    ],
    errorTtls: new Map(config.objects('CustomErrorResponses').map(readErrorTtl)),
    rateRules: readRateRules(stack, config.optionalString('WebACLId')),
  };
}

/** The value of Fn::GetAtt DomainName. */
export function domainName({ physicalId }: ResolvedResource): string {
  return `${physicalId.toLowerCase()}.cloudfront.net`;
}

function readOrigin(origin: Properties): Origin {
  origin.only(
    'CustomOriginConfig',
    'DomainName',
    'Id',
    'OriginAccessControlId',
    'OriginCustomHeaders',
    'OriginPath',
  );
  const custom =
    origin.object('CustomOriginConfig') ?? origin.refuse('is missing', 'CustomOriginConfig');
  custom.only('OriginProtocolPolicy', 'OriginReadTimeout', 'OriginSSLProtocols');
  if (custom.string('OriginProtocolPolicy') !== 'https-only') {
    custom.refuse('must be https-only: API Gateway supports no other', 'OriginProtocolPolicy');
  }
  return {
    id: origin.string('Id'),
    domainName: origin.string('DomainName'),
    path: origin.optionalString('OriginPath') ?? '',
    accessControlId: origin.optionalString('OriginAccessControlId'),
    headers: origin
      .objects('OriginCustomHeaders')
      .flatMap((header) => [customName(header), header.string('HeaderValue')]),
  };
}

/** The statuses that CloudFront accepts here. */
const ERROR_CODES = [400, 403, 404, 405, 414, 416, 500, 501, 502, 503, 504];

/** Refuses pages in place of the origin's body, and other statuses. */
function readErrorTtl(response: Properties): readonly [number, number] {
  response.only('ErrorCachingMinTTL', 'ErrorCode');
  const status = response.number('ErrorCode', 0);
  if (!ERROR_CODES.includes(status)) {
    response.refuse(`must be one of ${ERROR_CODES.join(', ')}`, 'ErrorCode');
  }
  return [status, response.number('ErrorCachingMinTTL', 10)];
}

/** "Custom headers that CloudFront can't add to origin requests" */
const NOT_CUSTOM = new Set(
  `cache-control connection content-length cookie host if-match if-modified-since if-none-match if-range
  if-unmodified-since max-forwards pragma proxy-authenticate proxy-authorization proxy-connection range
  request-range te trailer transfer-encoding upgrade via x-real-ip`.split(/\s+/),
);

function customName(header: Properties): string {
  const name = header.string('HeaderName');
  const key = name.toLowerCase();
  if (NOT_CUSTOM.has(key) || /^x-(?:amz|edge)-/.test(key)) {
    header.refuse(`may not be ${name}`, 'HeaderName');
  }
  return name;
}

interface Found {
  readonly origins: ReadonlyMap<string, Origin>;
  readonly functions: ReadonlyMap<string, ViewerRequest>;
  readonly policies: ReadonlyMap<string, HeadersPolicy>;
}

function readBehavior(behavior: Properties, found: Found, pattern?: string): Behavior {
  behavior.only(
    'AllowedMethods',
    'CachePolicyId',
    'Compress',
    'FunctionAssociations',
    'OriginRequestPolicyId',
    'ResponseHeadersPolicyId',
    'TargetOriginId',
    'ViewerProtocolPolicy',
    ...(pattern === undefined ? ['PathPattern'] : []),
  );
  behavior.mustBeOff('Compress');
  mustBe(behavior, 'CachePolicyId', CACHE_POLICY, 'CachingDisabled');
  mustBe(behavior, 'OriginRequestPolicyId', ORIGIN_REQUEST_POLICY, 'AllViewerExceptHostHeader');
  const origin = found.origins.get(behavior.string('TargetOriginId'));
  const policyId = behavior.optionalString('ResponseHeadersPolicyId');
  const policy = policyId === undefined ? { security: [] } : found.policies.get(policyId);
  return {
    matches: matcher(pattern ?? behavior.string('PathPattern')),
    origin: origin ?? behavior.refuse('names no origin of the distribution', 'TargetOriginId'),
    // The default of CloudFront.
    methods: orElse(behavior.strings('AllowedMethods'), ['GET', 'HEAD']),
    viewerRequest: readAssociation(behavior, found.functions),
    policy: policy ?? behavior.refuse('names no policy of the stack', 'ResponseHeadersPolicyId'),
  };
}

function readAssociation(
  behavior: Properties,
  functions: Found['functions'],
): ViewerRequest | undefined {
  const [association, second] = behavior.objects('FunctionAssociations');
  if (association === undefined) return undefined;
  if (second !== undefined) behavior.refuse('may contain one function', 'FunctionAssociations');
  association.only('EventType', 'FunctionARN');
  if (association.string('EventType') !== 'viewer-request') {
    association.refuse('must be viewer-request: others are not emulated', 'EventType');
  }
  const found = functions.get(association.string('FunctionARN'));
  return found ?? association.refuse('names no function of the stack', 'FunctionARN');
}

function mustBe(behavior: Properties, property: string, id: string, name: string): void {
  if (behavior.string(property) === id) return;
  behavior.refuse(`must be ${id} (${name}): others are not emulated`, property);
}

function orElse(list: readonly string[], initial: readonly string[]): readonly string[] {
  return list.length > 0 ? list : initial;
}

/** `*` matches any characters, `?` one. Matching is case-sensitive. */
function matcher(pattern: string): (path: string) => boolean {
  const quoted = pattern.replace(/[.+^${}()|[\]\\]/g, '\\$&');
  const form = new RegExp(`^${quoted.replaceAll('*', '[^]*').replaceAll('?', '[^]')}$`);
  return (path) => form.test(path);
}
