/** What whoever starts the runtime may choose. */
import type { GatewaysOptions } from './gateways';
import type { DynamoDbOptions } from './services/dynamodb/dynamodb';
import type { LambdaOptions } from './services/lambda/lambda';
import type { SqsOptions } from './services/sqs/sqs';

export interface LocalOptions {
  /** Folder of `cdk synth`. */
  readonly cdkOut: string;
  /** Needed when `cdkOut` has several stacks. */
  readonly stackName?: string;
  /** Folder for all that is kept. Made if missing; one runtime at a time. */
  readonly dataDir: string;
  /** Port of the REST API on 127.0.0.1; 0: any that is free. Default 7070. */
  readonly port?: number;
  /** Default 7071. */
  readonly s3Port?: number;
  /** Default 7072. */
  readonly dynamodbPort?: number;
  /** Default 7073. Used when the stack has queues. */
  readonly sqsPort?: number;
  /** Default 7074. Used when the stack has a user pool. */
  readonly oidcPort?: number;
  /** Default 7080, and up from there: of REST APIs that the stack has beside the service's. */
  readonly apiPort?: number;
  /**
   * Another DynamoDB-compatible server as engine. Default: environment variable DYNAMODB_ENDPOINT,
   * else the packaged one.
   */
  readonly dynamodbEndpoint?: string;
  /** Another S3 server in place of the local one; it reports no uploads. Default: none. */
  readonly s3Endpoint?: string;
  /** Folder of the logs, one file per function. Default `<dataDir>/logs`; false: standard error. */
  readonly logDir?: string | false;
  /**
   * File that is told at the end which grants the functions needed, and what was refused. Default:
   * none.
   */
  readonly iamReport?: string;
  /** Faults and disorder to inject, and how often expired items are looked for. */
  readonly dynamodb?: Pick<
    DynamoDbOptions,
    'faults' | 'streamDisorder' | 'ttlIntervalMilliseconds'
  >;
  /** Messages repeated and in any order. */
  readonly sqs?: Pick<SqsOptions, 'disorder'>;
  readonly lambda?: Pick<LambdaOptions, 'asyncRetryDelays' | 'idleTimeout' | 'maxEnvironments'>;
  /** Time limits and faults of the WebSocket API, and the path of its upgrades. */
  readonly websocket?: GatewaysOptions['websocket'];
  /**
   * Milliseconds between polls of a stream, and before the first retry of a failed batch. Default
   * 250 each.
   */
  readonly streams?: { readonly pollInterval?: number; readonly retryDelay?: number };
}
