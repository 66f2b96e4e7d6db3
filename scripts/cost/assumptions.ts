/** What the bill takes for granted, and what it knows of the deployment. */

import { LIMITS } from '../../core/limits';

/** What the calls do not show. The assumptions are listed in docs/cost.md. */
export const ASSUMED = {
  /**
   * Milliseconds that a function runs: its AWS calls in sequence (DynamoDB 5, a transaction 15, S3
   * 20 for the first byte and 28 for a PUT), and the processor time of `npm run bench -- --only
   * handlers` by 1.7, because 1,024 MB are 0.58 of a core, or by 3.5 with 512 MB.
   */
  duration: {
    put: 54,
    get: 40,
    head: 20,
    delete: 44,
    list: 23,
    sign: 18,
    ingest: 74,
    authorize: 13,
    publish: 72,
    message: 36,
    maintain: 200,
    quietBucket: 5,
  },
  /**
   * Share of the invocations that begin with a new instance, and the milliseconds that Lambda bills
   * for its start.
   */
  starts: 0.01,
  start: 400,
  /** Days that DynamoDB keeps an expired idempotency record, in addition to the one it is valid. */
  expiredDays: 1,
  /** The rate at which a function receives or sends a body. */
  bytesPerSecond: 20e6,
  /**
   * Lines of the access logs, with the 26 bytes that CloudWatch adds to each; a test in
   * test/scripts/cost measures them.
   */
  logBytesPerRequest: 440,
  logBytesPerMessage: 360,
  /**
   * The line of the function download in place of the access log, for a direct download; and what
   * it adds to the line of the metrics, of which it is part with the metrics by route.
   */
  logBytesPerDownload: 335,
  logBytesPerMeasuredDownload: 150,
  /** One change in a message of a channel. */
  messageBytes: 1000,
  /** The log line with the metrics of one request; a test in test/scripts/cost measures it. */
  metricsLine: 390,
  /** How long after a change a client pings; then it pings each `pingQuietSeconds`. */
  pingSeconds: 30,
  pingQuietSeconds: 240,
  /** A client pings at least after this time. */
  pingAtLeastSeconds: 300,
} as const;

/** Values set in lib/; a test in test/scripts/cost compares them with the template. */
export const DEPLOYED = {
  requestGb: 1,
  downloadGb: 0.5,
  backgroundGb: 0.5,
  authorizerTtlSeconds: 300,
  leaseSeconds: 2,
  /** Number of alarms for each value of the setting `metrics`. */
  alarms: { all: 32, essential: 30, none: 28 },
  /** A larger upload goes to S3 by signed URL. */
  inlineUpload: LIMITS.inlineUploadBytes,
  /** A larger download is redirected to S3. */
  inlineDownload: LIMITS.streamedDownloadBytes,
} as const;
