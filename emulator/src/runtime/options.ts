/** The options of `startLocal`. */

import type { DynamoDbOptions } from '../services/dynamodb/dynamodb';
import type { LambdaOptions } from '../services/lambda/lambda';
import type { SqsOptions } from '../services/sqs/sqs';
import type { GatewaysOptions } from './gateways';

export interface LocalOptions {
  /** Folder of `cdk synth`. */
  readonly cdkOut: string;
  /** Needed when `cdkOut` has several stacks. */
  readonly stackName?: string;
  /** Folder of all data, created if missing. One runtime at a time uses it. */
  readonly dataDir: string;
  /** Port of the REST API on 127.0.0.1; 0: any free port. Default 7070. */
  readonly port?: number;
  /** Default 7071. */
  readonly s3Port?: number;
  /** Default 7072. */
  readonly dynamodbPort?: number;
  /** Default 7073. Used when the stack has queues. */
  readonly sqsPort?: number;
  /** Default 7074. Used when the stack has a user pool. */
  readonly oidcPort?: number;
  /** Port of the first of the stack's other REST APIs; the next ones follow. Default 7080. */
  readonly apiPort?: number;
  /**
   * Another DynamoDB-compatible server as engine. Default: environment variable DYNAMODB_ENDPOINT,
   * else the packaged one.
   */
  readonly dynamodbEndpoint?: string;
  /** Another S3 server in place of the emulated one; it sends no notifications. Default: none. */
  readonly s3Endpoint?: string;
  /** Folder of the logs, one file per function. Default `<dataDir>/logs`; false: standard error. */
  readonly logDir?: string | false;
  /**
   * File that gets, at the end, the grants that the functions needed and the refused calls.
   * Default: none.
   */
  readonly iamReport?: string;
  /** Faults and disorder to inject, and the interval of the sweep for expired items. */
  readonly dynamodb?: Pick<
    DynamoDbOptions,
    'faults' | 'streamDisorder' | 'ttlIntervalMilliseconds'
  >;
  /** Repeated messages, and messages out of order. */
  readonly sqs?: Pick<SqsOptions, 'disorder'>;
  readonly lambda?: Pick<
    LambdaOptions,
    'accountConcurrency' | 'asyncRetryDelays' | 'idleTimeout' | 'maxEnvironments'
  >;
  /** Time limits and faults of the WebSocket API, and the path of its handshakes. */
  readonly websocket?: GatewaysOptions['websocket'];
  /** Heading of the sign-in page. Default: `Sign in`. */
  readonly signInTitle?: string;
  /**
   * Milliseconds between polls of a stream (0: woken by each record), and before the first retry
   * of a failed batch. Default 250 each.
   */
  readonly streams?: { readonly pollInterval?: number; readonly retryDelay?: number };
}
