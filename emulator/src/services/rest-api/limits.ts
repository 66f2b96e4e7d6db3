/**
 * API Gateway's quotas for regional REST APIs, and our own bounds where AWS publishes none.
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
  /** Bytes of the ARN of a method with an authorizer; a longer one is answered 414. */
  methodArnBytes: 1_600,
  /** Characters of a resource ARN in a policy that an authorizer returns. */
  policyArnLength: 512,
  /** A streamed answer's metadata and its delimiter must be within this many bytes. */
  preludeBytes: 16_384,
  resources: 300,
  authorizers: 10,
  authorizerTtlSeconds: 3_600,
  stageVariableLength: 512,
  minTimeoutMs: 50,
  bufferedTimeoutMs: 29_000,
  streamTimeoutMs: 900_000,
} as const;

/** Bounds in time and memory that AWS does not publish, or that a test must be able to shorten. */
export interface Bounds {
  /** From the first byte of a request to the end of its headers. */
  readonly headersMs: number;
  /** From the first byte of a request to the end of its body. */
  readonly requestMs: number;
  /** How often the two above are looked at. */
  readonly checkEveryMs: number;
  /** A connection on which nothing moves. AWS: 310 s. */
  readonly idleConnectionMs: number;
  /** A streamed answer in which nothing moves. AWS: 5 minutes (regional). */
  readonly idleStreamMs: number;
  /** How long an authorizer may take; AWS documents no ceiling of its own. */
  readonly authorizerMs: number;
  /** Cached authorizer results, per authorizer. AWS documents no bound. */
  readonly cachedGrants: number;
  /** Large request bodies that are read or with their function at a time. */
  readonly largeBodies: number;
  /** How long one of them may keep the next one waiting. */
  readonly largeBodyMs: number;
  /**
   * How long the rest of a refused body is read and thrown away, so that the client sees the
   * refusal.
   */
  readonly lingerMs: number;
  /** How long `stop` waits for answers under way. */
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
