import { RATE_CLASSES, type RateTiers } from '../../core/limits';

/** Names of the environment variables, for the handlers and for the constructs that set them. */
export const ENV = {
  bucketsTable: 'BUCKETS_TABLE',
  objectsTable: 'OBJECTS_TABLE',
  changesTable: 'CHANGES_TABLE',
  uploadsTable: 'UPLOADS_TABLE',
  apiKeysTable: 'API_KEYS_TABLE',
  auditTable: 'AUDIT_TABLE',
  subscriptionsTable: 'SUBSCRIPTIONS_TABLE',
  linksTable: 'LINKS_TABLE',
  ratesTable: 'RATES_TABLE',
  /** JSON of `RateTiers` (core/limits.ts), validated when the stack was synthesized. */
  rateTiers: 'RATE_TIERS',
  /** Requests that may wait for a change at once. */
  maxWaiting: 'MAX_WAITING',
  /** The table of the targets' cursors: `DynamoTargetCursors`. */
  targetCursorsTable: 'TARGET_CURSORS_TABLE',
  /** JSON list of the targets that are notified of changes: lambdas/targets/config.ts. */
  changeTargets: 'CHANGE_TARGETS',
  /** Set by Lambda: the function's name. */
  functionName: 'AWS_LAMBDA_FUNCTION_NAME',
  contentBucket: 'CONTENT_BUCKET',
  /** `stream` or `buffered`: `ResponseMode` in service/http/response.ts. */
  responseMode: 'RESPONSE_MODE',
  /** Seconds for which superseded versions and log entries stay readable. */
  retentionSeconds: 'RETENTION_SECONDS',
  /** The queue of deferred tasks: `FollowUp` in core/channel/ports.ts. */
  followUpsQueueUrl: 'FOLLOW_UPS_QUEUE_URL',
  /** `https://…/{stage}` of the WebSocket API, to which messages to connections are posted. */
  connectionsEndpoint: 'CONNECTIONS_ENDPOINT',
  /** `wss://…`: the WebSocket API that clients open for the change channel. */
  syncUrl: 'SYNC_URL',
  /** `https://…/`: the base URL of the HTTP interface, which the URLs of links begin with. */
  baseUrl: 'BASE_URL',
  /** JSON list of the origins of web pages that may open a channel. */
  allowedOrigins: 'ALLOWED_ORIGINS',
  /** JSON list of what the distribution may show. Absent: handshakes need not come through one. */
  originSecrets: 'ORIGIN_SECRETS',
  /** Issuer of the administrators' tokens, as in their claim `iss`. */
  oidcIssuer: 'OIDC_ISSUER',
  /** The dashboard's client id at the issuer. */
  oidcClientId: 'OIDC_CLIENT_ID',
  /** Address of the issuer's public keys. Absent: `{issuer}/.well-known/jwks.json`. */
  oidcJwksUri: 'OIDC_JWKS_URI',
  /** Required claim `aud` of access tokens. Absent: `aud` is not checked. */
  oidcAudience: 'OIDC_AUDIENCE',
  /** Scopes that the dashboard requests, separated by spaces. */
  oidcScopes: 'OIDC_SCOPES',
  /** The claim that makes a person an administrator, and its value. */
  adminClaim: 'ADMIN_CLAIM',
  adminClaimValue: 'ADMIN_CLAIM_VALUE',
  /**
   * Where the dashboard signs out, up to and including `logout_uri=`. Absent: the address in the
   * issuer's discovery document.
   */
  signOutUrl: 'SIGN_OUT_URL',
  serviceVersion: 'SERVICE_VERSION',
  /** CloudWatch namespace of the service's metrics. Absent: none are reported. */
  metricsNamespace: 'METRICS_NAMESPACE',
  /** `all` or `essential`: `MetricsLevel` in telemetry/metrics.ts. */
  metrics: 'METRICS',
  /** JSON of the permissions of each alias of the internal function: internal/grants.ts. */
  grants: 'GRANTS',
  /** JSON list of addresses whose origins the dashboard's page calls. */
  siteConnectsTo: 'SITE_CONNECTS_TO',
  /** JSON list of addresses whose content the dashboard's page shows. */
  siteShows: 'SITE_SHOWS',
} as const;

/** The origins. Throws at cold start when the value is not a JSON list of strings. */
export function parseAllowedOrigins(value: string): readonly string[] {
  return parseTexts(ENV.allowedOrigins, value);
}

/** The strings. Throws at cold start when the value is not a JSON list of strings. */
export function parseTexts(name: EnvName, value: string): readonly string[] {
  const texts: unknown = JSON.parse(value);
  if (!Array.isArray(texts) || !texts.every((text) => typeof text === 'string')) {
    throw new Error(`${name} must be a JSON list of strings, got ${value}`);
  }
  return texts;
}

/** The tiers. Throws at cold start when the tier `default` is missing or incomplete. */
export function parseRateTiers(value: string): RateTiers {
  const tiers: Partial<RateTiers> = JSON.parse(value);
  const { default: fallback } = tiers;
  if (!fallback || !RATE_CLASSES.every((name) => fallback[name]?.rate > 0)) {
    throw new Error(`${ENV.rateTiers} must have a complete tier "default", got ${value}`);
  }
  return { ...tiers, default: fallback };
}

export type EnvName = (typeof ENV)[keyof typeof ENV];

/** Values by name, such as `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The value, or undefined when the stack did not set the variable. */
export function optionalEnv(name: EnvName): string | undefined {
  return process.env[name] || undefined;
}

/** The value. Throws at cold start, with the variable's name, when the stack did not set it. */
export function requireEnv(name: EnvName, env: Environment = process.env): string {
  const value = env[name];
  if (value === undefined || value === '')
    throw new Error(`environment variable ${name} is not set`);
  return value;
}
