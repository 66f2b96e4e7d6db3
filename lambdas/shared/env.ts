import { RATE_CLASSES, type RateTiers } from '../../core/limits';

/**
 * Names of the environment variables, shared by the handlers and the constructs so that they cannot
 * drift.
 */
export const ENV = {
  bucketsTable: 'BUCKETS_TABLE',
  objectsTable: 'OBJECTS_TABLE',
  changesTable: 'CHANGES_TABLE',
  uploadsTable: 'UPLOADS_TABLE',
  apiKeysTable: 'API_KEYS_TABLE',
  auditTable: 'AUDIT_TABLE',
  subscriptionsTable: 'SUBSCRIPTIONS_TABLE',
  ratesTable: 'RATES_TABLE',
  /** JSON of RateTiers in core/limits.ts, validated when the stack was synthesized. */
  rateTiers: 'RATE_TIERS',
  /** How far targets were told of changes. */
  positionsTable: 'POSITIONS_TABLE',
  /** JSON list of those who are told of changes: lambdas/targets/config.ts. */
  changeTargets: 'CHANGE_TARGETS',
  /** Lambda's own: the function's name. */
  functionName: 'AWS_LAMBDA_FUNCTION_NAME',
  contentBucket: 'CONTENT_BUCKET',
  /** `stream` or `buffered`: how answers leave the function. */
  responseMode: 'RESPONSE_MODE',
  /** Seconds that superseded versions and log entries are kept. */
  retentionSeconds: 'RETENTION_SECONDS',
  /** The queue of work that has to wait a moment: `FollowUp` in core/channel/ports.ts. */
  followUpsQueueUrl: 'FOLLOW_UPS_QUEUE_URL',
  /** `https://…/{stage}` of the WebSocket API, where messages are posted to its connections. */
  connectionsEndpoint: 'CONNECTIONS_ENDPOINT',
  /** `wss://…`: what clients open to follow changes. */
  syncUrl: 'SYNC_URL',
  /** JSON list of the origins of web pages that may open a channel. */
  allowedOrigins: 'ALLOWED_ORIGINS',
  /** Issuer of the tokens with which people administer, as their `iss` has it. */
  oidcIssuer: 'OIDC_ISSUER',
  /** The dashboard, as the issuer knows it. */
  oidcClientId: 'OIDC_CLIENT_ID',
  /** Where the issuer's public keys are; absent: `{issuer}/.well-known/jwks.json`. */
  oidcJwksUri: 'OIDC_JWKS_URI',
  /** `aud` of access tokens; absent: they have none of ours. */
  oidcAudience: 'OIDC_AUDIENCE',
  /** Scopes that the dashboard asks for, separated by spaces. */
  oidcScopes: 'OIDC_SCOPES',
  /** The claim, and the value in it, of those who may administer. */
  adminClaim: 'ADMIN_CLAIM',
  adminClaimValue: 'ADMIN_CLAIM_VALUE',
  /**
   * Where the dashboard signs out, up to and including `logout_uri=`; absent: where the issuer's
   * discovery says.
   */
  signOutUrl: 'SIGN_OUT_URL',
  serviceVersion: 'SERVICE_VERSION',
  /** Where CloudWatch keeps the service's metrics; absent: none are reported. */
  metricsNamespace: 'METRICS_NAMESPACE',
  /** MetricsLevel in metrics.ts: `all` or `essential`. */
  metrics: 'METRICS',
  /** JSON of the permissions of each alias of the internal function. */
  grants: 'GRANTS',
  /** JSON list of addresses in the origins that the dashboard's page talks to. */
  siteConnectsTo: 'SITE_CONNECTS_TO',
} as const;

/** Throws at cold start when it is no list of texts. */
export function parseAllowedOrigins(value: string): readonly string[] {
  return parseTexts(ENV.allowedOrigins, value);
}

/** Throws at cold start when it is no list of texts. */
export function parseTexts(name: EnvName, value: string): readonly string[] {
  const texts: unknown = JSON.parse(value);
  if (!Array.isArray(texts) || !texts.every((text) => typeof text === 'string')) {
    throw new Error(`${name} must be a JSON list of texts, got ${value}`);
  }
  return texts;
}

/** Throws at cold start when the tier `default` is missing. */
export function parseRateTiers(value: string): RateTiers {
  const tiers: Partial<RateTiers> = JSON.parse(value);
  const { default: fallback } = tiers;
  if (!fallback || !RATE_CLASSES.every((name) => fallback[name]?.rate > 0)) {
    throw new Error(`${ENV.rateTiers} must have a complete tier "default", got ${value}`);
  }
  return { ...tiers, default: fallback };
}

export type EnvName = (typeof ENV)[keyof typeof ENV];

/** undefined: the stack did not set it. */
export function optionalEnv(name: EnvName): string | undefined {
  return process.env[name] || undefined;
}

/** Throws at cold start, naming the variable, when the stack did not set it. */
export function requireEnv(name: EnvName): string {
  const value = process.env[name];
  if (value === undefined || value === '')
    throw new Error(`environment variable ${name} is not set`);
  return value;
}
