import { type Duration, Token } from 'aws-cdk-lib';
import type { OidcIssuer } from './access/sign-in';
import { checkConcurrency } from './functions/concurrency';
import type { ObjectStorageProps } from './object-storage-props';

/**
 * Throws an Error that names the prop, the value and what to write instead. Tokens are not checked:
 * their values are known at deployment.
 */
export function validate(settings: ObjectStorageProps): void {
  checkRetention(settings.retention);
  checkMemory('requestMemorySize', settings.requestMemorySize);
  checkMemory('backgroundMemorySize', settings.backgroundMemorySize);
  checkConcurrency(settings);
  checkPositive('throttlingRateLimit', settings.throttlingRateLimit);
  checkWhole('throttlingBurstLimit', settings.throttlingBurstLimit);
  checkWhole('maxReadRequestUnits', settings.maxReadRequestUnits, 'units');
  checkWhole('maxWriteRequestUnits', settings.maxWriteRequestUnits, 'units');
  checkPositive('syncThrottlingRateLimit', settings.syncThrottlingRateLimit);
  checkWhole('syncThrottlingBurstLimit', settings.syncThrottlingBurstLimit);
  checkOrigins(settings.allowedOrigins ?? []);
  if (settings.oidc !== undefined) checkIssuer(settings.oidc);
  checkDashboard(settings.dashboardUrls);
  checkDirectDownloads(settings);
  if (settings.contentBucket !== undefined && settings.versioned !== undefined) {
    throw new Error('versioned and contentBucket exclude each other: set versioned of your bucket');
  }
}

/** The function's URL streams what the function streams: both must be set to it. */
function checkDirectDownloads({ edge, responseStreaming }: ObjectStorageProps): void {
  if (edge && edge.directDownloads === true && responseStreaming === false) {
    throw new Error(
      'edge.directDownloads needs responseStreaming: leave responseStreaming out, or directDownloads',
    );
  }
}

/** A function runs for at most 15 minutes: retention must outlast any writer in flight by far. */
function checkRetention(retention: Duration | undefined): void {
  if (retention === undefined || retention.isUnresolved()) return;
  const seconds = retention.toSeconds({ integral: false });
  if (seconds < 3600 || !Number.isInteger(seconds)) {
    throw new Error(
      `retention must be at least one hour, in whole seconds, got ${seconds} s: use Duration.hours(1) or more`,
    );
  }
}

/** https://docs.aws.amazon.com/lambda/latest/dg/configuration-memory.html */
function checkMemory(name: string, memorySize: number | undefined): void {
  if (memorySize === undefined || Token.isUnresolved(memorySize)) return;
  if (!Number.isInteger(memorySize) || memorySize < 128 || memorySize > 10_240) {
    throw new Error(`${name} must be a whole number of MiB from 128 to 10240, got ${memorySize}`);
  }
}

function checkPositive(name: string, value: number | undefined): void {
  if (value === undefined || Token.isUnresolved(value)) return;
  if (!(value > 0)) {
    throw new Error(`${name} must be above 0, got ${value}: leave it out for the default`);
  }
}

/** API Gateway counts a burst in whole requests, DynamoDB in whole units. */
function checkWhole(name: string, value: number | undefined, of = 'requests'): void {
  checkPositive(name, value);
  if (value === undefined || Token.isUnresolved(value) || Number.isInteger(value)) return;
  throw new Error(`${name} must be a whole number of ${of}, got ${value}`);
}

/** Bytes of the list in a variable of channel: all variables of a function may take 4 KB. */
const ORIGINS_BYTES = 2048;

function checkOrigins(origins: readonly string[]): void {
  for (const origin of origins) checkOrigin(origin);
  const bytes = Buffer.byteLength(JSON.stringify(origins));
  if (bytes > ORIGINS_BYTES) {
    throw new Error(
      `allowedOrigins must take at most ${ORIGINS_BYTES} bytes as JSON, got ${bytes}: list fewer origins, or '*'`,
    );
  }
}

/** S3 and channel compare the Origin header as text, so origins must be as browsers send them. */
function checkOrigin(origin: string): void {
  if (origin === '*' || Token.isUnresolved(origin)) return;
  if (!/^https?:\/\/[^/?#\s]+$/.test(origin)) {
    throw new Error(
      `allowedOrigins must hold origins such as 'https://app.example.com' or '*', got '${origin}': leave out path and trailing slash`,
    );
  }
  if (origin.includes('*')) {
    throw new Error(
      `allowedOrigins must hold whole origins, got '${origin}': list each origin, or '*' for any`,
    );
  }
  const written = URL.canParse(origin) ? new URL(origin).origin : undefined;
  if (origin !== written) {
    throw new Error(
      `allowedOrigins must hold origins as browsers send them, got '${origin}': use '${written ?? 'https://app.example.com'}'`,
    );
  }
}

/**
 * An attacker who can respond in place of the issuer can administer, so clear text is refused.
 */
function checkIssuer(oidc: OidcIssuer): void {
  for (const name of ['issuer', 'jwksUri', 'signOutUrl'] as const) {
    const url = oidc[name];
    if (url === undefined || Token.isUnresolved(url)) continue;
    if (!URL.canParse(url) || new URL(url).protocol !== 'https:') {
      throw new Error(`oidc.${name} must be a URL that begins with https:, got '${url}'`);
    }
  }
  for (const name of ['clientId', 'claim', 'value'] as const) {
    if (oidc[name] === '') throw new Error(`oidc.${name} must not be empty`);
  }
  if (oidc.audience !== undefined && oidc.audience === oidc.clientId) {
    throw new Error(
      `oidc.audience must differ from oidc.clientId, got '${oidc.audience}' for both: ID tokens would be accepted as access tokens`,
    );
  }
}

/** Cognito compares the addresses as text, and accepts http for localhost only. */
function checkDashboard(urls: readonly string[] | undefined): void {
  if (urls === undefined) return;
  if (urls.length === 0) {
    throw new Error('dashboardUrls must not be empty: leave it out for the default');
  }
  for (const url of urls) {
    if (Token.isUnresolved(url)) continue;
    const { protocol, hostname, href } = URL.canParse(url)
      ? new URL(url)
      : { protocol: '', hostname: '', href: '' };
    const isSafe = protocol === 'https:' || (protocol === 'http:' && hostname === 'localhost');
    if (!isSafe || href !== url) {
      throw new Error(
        `dashboardUrls must hold addresses such as 'https://files.example.com/', got '${url}'`,
      );
    }
  }
}
