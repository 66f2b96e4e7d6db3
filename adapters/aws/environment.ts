/**
 * Region, credentials and endpoints from the environment variables of a function, as the SDK reads
 * them: https://docs.aws.amazon.com/sdkref/latest/guide/environment-variables.html. There are no
 * other sources: profiles, SSO and the like belong to the SDK's clients, which the commands use.
 * AWS_USE_DUALSTACK_ENDPOINT has no effect here: Lambda reaches AWS by IPv4.
 */

export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

export interface Endpoint {
  readonly protocol: 'http:' | 'https:';
  readonly hostname: string;
  /** Absent: the protocol's. */
  readonly port?: number;
}

/** The credentials as they are now: the variables may change while a process lives. */
export function environmentCredentials(): Credentials {
  return {
    accessKeyId: required('AWS_ACCESS_KEY_ID'),
    secretAccessKey: required('AWS_SECRET_ACCESS_KEY'),
    ...(process.env.AWS_SESSION_TOKEN && { sessionToken: process.env.AWS_SESSION_TOKEN }),
  };
}

export function environmentRegion(): string {
  return required('AWS_REGION');
}

/** Throws for a URL with a path: no service that the functions call is below one. */
export function parseEndpoint(url: string): Endpoint {
  const { protocol, hostname, port, pathname, search } = new URL(url);
  if ((protocol !== 'http:' && protocol !== 'https:') || pathname + search !== '/') {
    throw new Error(`an endpoint is http(s)://host[:port], got ${url}`);
  }
  return { protocol, hostname, ...(port !== '' && { port: Number(port) }) };
}

/**
 * The endpoint of AWS_ENDPOINT_URL_<SERVICE> or AWS_ENDPOINT_URL, which the emulator sets;
 * undefined if neither is set.
 */
export function endpointOverride(service: string): Endpoint | undefined {
  const { env } = process;
  const url = env[`AWS_ENDPOINT_URL_${service.toUpperCase()}`] || env.AWS_ENDPOINT_URL;
  return url ? parseEndpoint(url) : undefined;
}

/** Where regions end in another domain than `amazonaws.com`. */
const DOMAINS: readonly (readonly [region: RegExp, domain: string])[] = [
  [/^cn-/, 'amazonaws.com.cn'],
  [/^eusc-/, 'amazonaws.eu'],
  [/^us-iso-/, 'c2s.ic.gov'],
  [/^us-isob-/, 'sc2s.sgov.gov'],
  [/^eu-isoe-/, 'cloud.adc-e.uk'],
  [/^us-isof-/, 'csp.hci.ic.gov'],
];

/**
 * The host of a service in a region, the FIPS one with AWS_USE_FIPS_ENDPOINT. In GovCloud the
 * endpoint of DynamoDB is FIPS's already.
 */
export function regionalHost(service: string, region: string): string {
  const domain = DOMAINS.find(([pattern]) => pattern.test(region))?.[1] ?? 'amazonaws.com';
  const isPlain = service === 'dynamodb' && region.startsWith('us-gov-');
  const fips = process.env.AWS_USE_FIPS_ENDPOINT === 'true' && !isPlain ? '-fips' : '';
  return `${service}${fips}.${region}.${domain}`;
}

function required(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`environment variable ${name} is not set`);
  return value;
}
