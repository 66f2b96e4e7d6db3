import { type Duration, Token } from 'aws-cdk-lib';

/** What is checked of a service's settings before anything is synthesized. */
export interface Checked {
  readonly retention: Duration;
  readonly requestMemorySize?: number;
  readonly backgroundMemorySize?: number;
  readonly throttlingRateLimit?: number;
  readonly throttlingBurstLimit?: number;
  readonly allowedOrigins?: readonly string[];
}

/** Throws an Error that names the prop, the value and what to write instead. Tokens pass: they are known at deployment. */
export function validate(settings: Checked): void {
  checkRetention(settings.retention);
  checkMemory('requestMemorySize', settings.requestMemorySize);
  checkMemory('backgroundMemorySize', settings.backgroundMemorySize);
  checkPositive('throttlingRateLimit', settings.throttlingRateLimit);
  checkPositive('throttlingBurstLimit', settings.throttlingBurstLimit);
  for (const origin of settings.allowedOrigins ?? []) checkOrigin(origin);
}

/** A function lives at most 15 minutes: retention must outlast any writer in flight by far. */
function checkRetention(retention: Duration): void {
  if (retention.isUnresolved()) return;
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

/** S3 compares the Origin header with the rule as text, so a path or a trailing slash would never match. */
function checkOrigin(origin: string): void {
  if (origin === '*' || Token.isUnresolved(origin)) return;
  if (!/^https?:\/\/[^/?#\s]+$/.test(origin)) {
    throw new Error(
      `allowedOrigins must hold origins such as 'https://app.example.com' or '*', got '${origin}': leave out path and trailing slash`,
    );
  }
}
