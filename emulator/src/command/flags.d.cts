/** A command line that cannot be run; the message says what to write instead. */
export class FlagError extends Error {}

/** The flags that the command line has. Ports are 0 to 65535. */
export interface FlagValues {
  readonly 'cdk-out'?: string;
  readonly stack?: string;
  readonly data?: string;
  readonly port?: number;
  readonly 's3-port'?: number;
  readonly 'dynamodb-port'?: number;
  readonly 'sqs-port'?: number;
  readonly 'oidc-port'?: number;
  readonly 'api-port'?: number;
  readonly 'lambda-concurrency'?: number;
  /** Seconds. */
  readonly 'websocket-idle'?: number;
  /** Seconds. */
  readonly 'websocket-lifetime'?: number;
  readonly 'websocket-faults'?: string;
  readonly 'sqs-faults'?: string;
  readonly 'stream-faults'?: string;
  /** Milliseconds. */
  readonly 'stream-poll'?: number;
  readonly 's3-endpoint'?: string;
  readonly 'dynamodb-endpoint'?: string;
  readonly 'iam-report'?: string;
  readonly 'logs-to-stderr'?: boolean;
  readonly help?: boolean;
}

/** Returns the values by name; `--ports` as the ports that it moves. Throws FlagError. */
export function parseFlags(argv: readonly string[]): FlagValues;

/** The list of all flags. */
export function usage(): string;
