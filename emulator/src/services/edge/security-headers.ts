/** Reads AWS::CloudFront::ResponseHeadersPolicy, and adds its headers to responses. */
import type { ResolvedStack } from '../../template/model';
import { Properties } from '../../template/properties';
import { resourcesOfType } from '../../template/resources';
import { type Cors, corsHeaders, readCors } from './cors';

/** The headers that a policy adds to a response. */
export interface HeadersPolicy {
  readonly security: readonly SecurityHeader[];
  readonly cors?: Cors;
}

export interface SecurityHeader {
  readonly name: string;
  readonly value: string;
  /** Whether it replaces the header of the origin. */
  readonly override: boolean;
}

/** Returns the headers by the physical id of their policy. */
export function readHeadersPolicies(stack: ResolvedStack): ReadonlyMap<string, HeadersPolicy> {
  const policies = resourcesOfType(stack, 'AWS::CloudFront::ResponseHeadersPolicy');
  return new Map(
    policies.map((resource) => [resource.physicalId, readPolicy(new Properties(resource))]),
  );
}

const READERS: Readonly<Record<string, (header: Properties) => readonly [string, string]>> = {
  ContentSecurityPolicy: (header) => [
    'Content-Security-Policy',
    header.only('ContentSecurityPolicy', 'Override').string('ContentSecurityPolicy'),
  ],
  ContentTypeOptions: (header) => {
    header.only('Override');
    return ['X-Content-Type-Options', 'nosniff'];
  },
  FrameOptions: (header) => [
    'X-Frame-Options',
    header.only('FrameOption', 'Override').string('FrameOption'),
  ],
  ReferrerPolicy: (header) => [
    'Referrer-Policy',
    header.only('Override', 'ReferrerPolicy').string('ReferrerPolicy'),
  ],
  StrictTransportSecurity: (header) => {
    header.only('AccessControlMaxAgeSec', 'Override');
    return ['Strict-Transport-Security', `max-age=${header.number('AccessControlMaxAgeSec', 0)}`];
  },
};

function readPolicy(policy: Properties): HeadersPolicy {
  const config = policy
    .only('ResponseHeadersPolicyConfig')
    .object('ResponseHeadersPolicyConfig')
    ?.only('Comment', 'CorsConfig', 'Name', 'SecurityHeadersConfig');
  const security = config?.object('SecurityHeadersConfig')?.only(...Object.keys(READERS));
  const headers = Object.entries(READERS).flatMap(([property, read]) => {
    const header = security?.object(property);
    if (header === undefined) return [];
    const [name, value] = read(header);
    return [{ name, value, override: header.boolean('Override') }];
  });
  const cors = config?.object('CorsConfig');
  return { security: headers, ...(cors && { cors: readCors(cors) }) };
}

/** `headers`: name, value, name, value … `origin`: the header of the request. */
export function withPolicy(
  headers: readonly string[],
  { security, cors }: HeadersPolicy,
  origin: string | undefined,
): string[] {
  const own = cors && origin !== undefined ? corsHeaders(cors, origin, headers) : [];
  return withSecurityHeaders([...headers, ...own], security);
}

function withSecurityHeaders(
  headers: readonly string[],
  policy: readonly SecurityHeader[],
): string[] {
  const rest: string[] = [];
  const given = new Set<string>();
  const overriding = new Set(
    policy.filter(({ override }) => override).map(({ name }) => name.toLowerCase()),
  );
  for (let i = 0; i + 1 < headers.length; i += 2) {
    const [name = '', value = ''] = headers.slice(i, i + 2);
    if (overriding.has(name.toLowerCase())) continue;
    given.add(name.toLowerCase());
    rest.push(name, value);
  }
  for (const { name, value } of policy) {
    if (!given.has(name.toLowerCase())) rest.push(name, value);
  }
  return rest;
}
