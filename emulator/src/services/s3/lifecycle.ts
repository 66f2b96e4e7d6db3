/**
 * Aborts incomplete multipart uploads by the rules of the bucket: at start, then every hour (S3:
 * once a day).
 * https://docs.aws.amazon.com/AmazonS3/latest/userguide/mpu-abort-incomplete-mpu-lifecycle-config.html
 */
import type { Bucket } from './calls/call';
import type { Upload } from './storage/records';

const DAY_MILLISECONDS = 24 * 60 * 60 * 1000;
const PERIOD_MILLISECONDS = 60 * 60 * 1000;

export function startAborting(
  buckets: ReadonlyMap<string, Bucket>,
  report: (error: unknown) => void,
): { stop(): void } {
  const run = (): void => {
    try {
      for (const bucket of buckets.values()) abortExpired(bucket, Date.now());
    } catch (error) {
      report(error);
    }
  };
  run();
  const timer = setInterval(run, PERIOD_MILLISECONDS);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}

/** `now` is epoch milliseconds. */
export function abortExpired({ options, store }: Bucket, now: number): void {
  for (const upload of [...store.uploads()]) {
    if (options.lifecycle?.some((rule) => isExpired(rule, upload, now))) store.abortUpload(upload);
  }
}

function isExpired(
  rule: { readonly prefix: string; readonly daysAfterInitiation: number },
  upload: Upload,
  now: number,
): boolean {
  const age = now - upload.initiated;
  return upload.key.startsWith(rule.prefix) && age > rule.daysAfterInitiation * DAY_MILLISECONDS;
}
