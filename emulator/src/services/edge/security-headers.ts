/** Reads AWS::CloudFront::ResponseHeadersPolicy, and adds its headers to responses. */
import type { ResolvedStack } from '../../template/model';
import { resourcesOfType } from '../../template/resources';
import { Properties } from '../rest-api/model/properties';

export interface SecurityHeader {
  readonly name: string;
  readonly value: string;
  /** Whether it replaces the header of the origin. */
  readonly override: boolean;
}

/** Returns the headers by the physical id of their policy. */
export function readHeadersPolicies(
  stack: ResolvedStack,
): ReadonlyMap<string, readonly SecurityHeader[]> {
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

function readPolicy(policy: Properties): readonly SecurityHeader[] {
  const config = policy
    .only('ResponseHeadersPolicyConfig')
    .object('ResponseHeadersPolicyConfig')
    ?.only('Comment', 'Name', 'SecurityHeadersConfig');
  const security = config?.object('SecurityHeadersConfig')?.only(...Object.keys(READERS));
  return Object.entries(READERS).flatMap(([property, read]) => {
    const header = security?.object(property);
    if (header === undefined) return [];
    const [name, value] = read(header);
    return [{ name, value, override: header.boolean('Override') }];
  });
}

/** `headers`: name, value, name, value … */
export function withSecurityHeaders(
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
