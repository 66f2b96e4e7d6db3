/**
 * API Gateway's quotas for regional REST APIs, and the emulator's bounds where AWS publishes none.
 * Source: docs.aws.amazon.com/apigateway, "Quotas for configuring and running a REST API".
 */
export const QUOTAS = {
  /** Characters of the request target. */
  urlLength: 10_240,
  /** Bytes of all request headers: names, values, line ends and white space. */
  headerBytes: 10_240,
  /** Bytes of a request body. */
  payloadBytes: 10_485_760,
  /** Bytes of a synchronous Lambda event; the event must be smaller. */
  eventBytes: 6_291_456,
  /** Bytes of the ARN of a method with an authorizer; the response to a longer one is 414. */
  methodArnBytes: 1_600,
  /** Characters of a resource ARN in a policy that an authorizer returns. */
  policyArnLength: 512,
  /** Bytes within which a streamed response must contain its metadata and the delimiter. */
  preludeBytes: 16_384,
  resources: 300,
  authorizers: 10,
  authorizerTtlSeconds: 3_600,
  stageVariableLength: 512,
  minTimeoutMs: 50,
  bufferedTimeoutMs: 29_000,
  streamTimeoutMs: 900_000,
} as const;

/** Limits of time and memory that AWS does not publish, or that tests shorten. */
export interface Bounds {
  /** From the first byte of a request to the end of its headers. */
  readonly headersMs: number;
  /** From the first byte of a request to the end of its body. */
  readonly requestMs: number;
  /** Interval at which the two above are checked. */
  readonly checkEveryMs: number;
  /** Idle time of a connection. AWS: 310 s. */
  readonly idleConnectionMs: number;
  /** Idle time of a streamed response. AWS: 5 minutes (regional). */
  readonly idleStreamMs: number;
  /** Timeout of an authorizer. AWS documents none. */
  readonly authorizerMs: number;
  /** Cached authorizer results, per authorizer. AWS documents no bound. */
  readonly cachedGrants: number;
  /** Number of large request bodies that may be in memory at a time. */
  readonly largeBodies: number;
  /** Time after which a large body no longer counts. */
  readonly largeBodyMs: number;
  /** How long the rest of a refused body is read, so that the client sees the refusal. */
  readonly lingerMs: number;
  /** How long `stop` waits for responses in progress. */
  readonly stopMs: number;
}

export const BOUNDS: Bounds = {
  headersMs: 10_000,
  requestMs: 60_000,
  checkEveryMs: 1_000,
  idleConnectionMs: 310_000,
  idleStreamMs: 300_000,
  authorizerMs: 30_000,
  cachedGrants: 2_000,
  largeBodies: 2,
  largeBodyMs: 5_000,
  lingerMs: 2_000,
  stopMs: 2_000,
};
