/**
 * The monthly bill of a deployment: quantities from the calls in calls.ts, prices from prices.json.
 * Free tiers are not deducted.
 */
import { ASSUMED, DEPLOYED } from './assumptions';
import { ITEM_BYTES, OPERATIONS, type OperationName, unitsOf, writeUnits } from './calls';
import { COVERED, PLANS, type PlanName } from './plans';
import list from './prices.json';
import type { Workload } from './workload';

export type PriceName = keyof typeof list.prices;

export interface Line {
  /** What is paid for, such as `PUT` or `open channels`. */
  readonly cause: string;
  readonly price: PriceName;
  readonly quantity: number;
  readonly usd: number;
}

const HOURS = 730;
const SECONDS = HOURS * 3600;
const GB = 1e9;
/** Lambda keeps five long polls of 20 s open at an empty queue. */
const QUEUE_POLLS = (5 * SECONDS) / 20;
/** Lambda polls a stream four times a second. */
const STREAM_POLLS = 4 * SECONDS;

export function priceOf(price: PriceName, quantity: number): number {
  const { usd, per } = list.prices[price];
  return (quantity / per) * usd;
}

/** Collects the lines, without those whose quantity is 0. */
class Bill {
  readonly lines: Line[] = [];

  add(cause: string, quantities: Partial<Record<PriceName, number>>): void {
    for (const [name, quantity] of Object.entries(quantities)) {
      const price = name as PriceName;
      if (quantity > 0) this.lines.push({ cause, price, quantity, usd: priceOf(price, quantity) });
    }
  }

  /**
   * Adds `count` times the calls of an operation. With `gb`, each operation is an invocation of a
   * function of that size, and takes `milliseconds`.
   */
  operation(
    cause: string,
    name: OperationName,
    count: number,
    { milliseconds = 0, gb = 0 }: { milliseconds?: number; gb?: number } = {},
  ): void {
    const { reads, writes } = unitsOf(name);
    const calls = (...names: string[]) =>
      count * OPERATIONS[name].filter((one) => names.includes(one.name)).length;
    this.add(cause, {
      lambdaRequests: gb > 0 ? count : 0,
      lambdaGbSeconds: (count * (milliseconds + ASSUMED.starts * ASSUMED.start) * gb) / 1000,
      dynamodbReads: count * reads,
      dynamodbWrites: count * writes,
      s3Writes: calls('PutObject'),
      s3Reads: calls('GetObject', 'HeadObject'),
      socketMessages: calls('PostToConnection'),
    });
  }
}

export function billOf(workload: Workload): readonly Line[] {
  const bill = new Bill();
  addRequests(bill, workload);
  addChanges(bill, workload);
  addChannels(bill, workload);
  addStanding(bill, workload);
  addWatching(bill, workload);
  return workload.plan === undefined ? bill.lines : withPlan(bill.lines, workload.plan);
}

/** What a plan covers is not billed by use. */
function withPlan(lines: readonly Line[], plan: PlanName): readonly Line[] {
  const { price } = PLANS[plan];
  const others = lines.filter((line) => !COVERED.includes(line.price));
  const usd = priceOf(price, 1);
  return [...others, { cause: `plan of CloudFront: ${plan}`, price, quantity: 1, usd }];
}

export function totalOf(lines: readonly Line[]): number {
  return lines.reduce((total, { usd }) => total + usd, 0);
}

function addRequests(bill: Bill, workload: Workload): void {
  const { puts, gets, heads, deletes, lists, size, keys, overwrites } = workload;
  const { edge, webAcl, idempotency } = workload;
  const { duration, bytesPerSecond } = ASSUMED;
  const gb = DEPLOYED.requestGb;
  const signed = size > DEPLOYED.inlineUpload;
  const redirected = size > DEPLOYED.inlineDownload;
  const transfer = (size / bytesPerSecond) * 1000;
  if (signed) {
    const sign = idempotency ? 'signPutOnce' : 'signPut';
    bill.operation('PUT', sign, puts, { milliseconds: duration.sign, gb });
    const background = { milliseconds: duration.ingest, gb: DEPLOYED.backgroundGb };
    bill.operation('PUT', 'ingest', puts, background);
    bill.add('PUT', { s3Writes: puts });
  } else {
    const ran = { milliseconds: duration.put + transfer, gb };
    bill.operation('PUT', 'put', puts * overwrites, ran);
    bill.operation('PUT', 'create', puts * (1 - overwrites), ran);
  }
  if (idempotency) addIdempotency(bill, workload, signed);
  const download = duration.get + (redirected ? 0 : transfer);
  const downloadGb = DEPLOYED.downloadGb;
  bill.operation('GET', 'get', gets, { milliseconds: download, gb: downloadGb });
  bill.operation('HEAD', 'head', heads, { milliseconds: duration.head, gb: downloadGb });
  bill.operation('DELETE', 'delete', deletes, { milliseconds: duration.delete, gb });
  bill.operation('list', 'list', lists, { milliseconds: duration.list, gb });
  const counts = { PUT: puts, GET: gets, HEAD: heads, DELETE: deletes, list: lists };
  for (const [cause, count] of Object.entries(counts)) {
    const direct = workload.directDownloads && ['GET', 'HEAD'].includes(cause);
    const line = direct ? lineOfDownload(workload) : ASSUMED.logBytesPerRequest;
    bill.add(cause, {
      apiRequests: direct ? 0 : count,
      logsGb: (count * line) / GB,
      ...(edge && { cloudfrontRequests: count, cloudfrontFunctions: count }),
      ...(webAcl && { webAclRequests: count }),
    });
  }
  const requests = puts + gets + heads + deletes + lists;
  const known = Math.min(requests, (keys * SECONDS) / DEPLOYED.authorizerTtlSeconds);
  bill.operation('API keys', 'authorize', known, { milliseconds: duration.authorize, gb });
  const leases = Math.min(requests, (keys * SECONDS) / DEPLOYED.leaseSeconds);
  bill.operation('API keys', 'lease', leases);
  // The usage of each hour is added to the item of its day.
  bill.operation('API keys', 'lease', Math.min(requests, keys * HOURS));
  const out = (gets * size) / GB;
  bill.add(
    'data to the internet',
    edge && !redirected ? { cloudfrontGb: out } : { transferGb: out },
  );
  // Larger uploads go to S3 directly.
  const passedOn = edge && !signed ? (puts * size) / GB : 0;
  bill.add('data from the edge', { cloudfrontToOriginGb: passedOn });
}

function lineOfDownload({ metrics }: Workload): number {
  const { logBytesPerDownload, logBytesPerMeasuredDownload } = ASSUMED;
  return metrics === 'all' ? logBytesPerMeasuredDownload : logBytesPerDownload;
}

/** Of writes with an Idempotency-Key; the calls of a signed PUT are in `signPutOnce`. */
function addIdempotency(bill: Bill, { puts, deletes }: Workload, signed: boolean): void {
  for (const [cause, count] of Object.entries({ PUT: signed ? 0 : puts, DELETE: deletes })) {
    bill.operation(cause, 'idempotency', count);
    bill.add(cause, { dynamodbWrites: count * 2 * writeUnits(ITEM_BYTES.replay) });
  }
  const months = ((1 + ASSUMED.expiredDays) * 24) / HOURS;
  const records = ((puts + deletes) * (ITEM_BYTES.replay + 100) * months) / GB;
  bill.add('idempotency records', { dynamodbGb: records, dynamodbBackupGb: records });
}

function addChanges(bill: Bill, workload: Workload): void {
  const { puts, deletes, buckets, followers, overwrites } = workload;
  const changes = puts + deletes;
  const publications = Math.min(changes, STREAM_POLLS * buckets);
  const operation = publications < changes ? 'publishSeveral' : 'publishOne';
  const cause = 'publishing changes';
  const milliseconds = ASSUMED.duration.publish;
  bill.operation(cause, operation, publications, { milliseconds, gb: DEPLOYED.backgroundGb });
  if (followers > 0) bill.operation(cause, 'pushLease', publications);
  if (followers / buckets >= 10) bill.operation(cause, 'pushPause', publications);
  const posts = (publications * followers) / buckets;
  bill.operation(cause, 'post', posts);
  bill.add(cause, { transferGb: (posts * ASSUMED.messageBytes) / GB });
  // Each entry is read twice and deleted once. Each tombstone is deleted once.
  const entries = [
    [puts * overwrites, ITEM_BYTES.change],
    [puts * (1 - overwrites), ITEM_BYTES.creation],
    [deletes, ITEM_BYTES.deletion],
  ] as const;
  for (const [count, bytes] of entries) {
    bill.add('trimming the log', {
      dynamodbReads: (2 * count * bytes) / 4096,
      dynamodbWrites: count * writeUnits(bytes),
    });
  }
  bill.add('trimming the log', { dynamodbWrites: deletes * writeUnits(ITEM_BYTES.object) });
}

/** Pings a second of one channel whose bucket has so many changes a second, at random moments. */
export function pingRate(changes: number): number {
  const { pingSeconds: first, pingQuietSeconds: quiet, pingAtLeastSeconds } = ASSUMED;
  if (changes === 0) return 1 / quiet;
  // Of the silences after changes, whose lengths are distributed exponentially, the share that
  // lasts until each ping; the pings of the quiet time are a geometric series.
  const lasts = (seconds: number) => Math.exp(-changes * seconds);
  const rate = changes * (lasts(first) + lasts(first + quiet) / -Math.expm1(-changes * quiet));
  // The share of the time in which each change follows the last one before such a silence ends.
  const followed = Math.max(changes * pingAtLeastSeconds, pingAtLeastSeconds / first);
  const share = (1 - lasts(first)) ** followed;
  return rate + share / pingAtLeastSeconds;
}

function addChannels(bill: Bill, workload: Workload): void {
  const { followers, puts, deletes, buckets } = workload;
  const pings = followers * SECONDS * pingRate((puts + deletes) / buckets / SECONDS);
  // API Gateway ends a connection after two hours.
  const connections = (followers * HOURS) / 2;
  const cause = 'open channels';
  const ran = { milliseconds: ASSUMED.duration.message, gb: DEPLOYED.requestGb };
  for (const [name, count] of [
    ['ping', pings],
    ['handshake', connections],
    ['subscribe', connections],
    ['disconnect', connections],
  ] as const) {
    bill.operation(cause, name, count, ran);
  }
  const messages = pings + connections;
  bill.add(cause, {
    socketMessages: messages,
    socketMinutes: (followers * SECONDS) / 60,
    logsGb: (messages * ASSUMED.logBytesPerMessage) / GB,
  });
}

function addStanding(bill: Bill, workload: Workload): void {
  const { gb, size, puts, deletes, buckets, overwrites, retentionDays, versioned } = workload;
  const objects = gb === 0 ? 0 : (gb * GB) / size;
  const months = retentionDays / (HOURS / 24);
  // A removed blob stays in a versioned bucket for the retention once more, in whole days.
  const noncurrent = versioned ? Math.ceil(retentionDays) / (HOURS / 24) : 0;
  const kept = (puts * overwrites + deletes) * size * (months + noncurrent);
  bill.add('stored objects', { s3Gb: gb });
  bill.add('old versions', { s3Gb: kept / GB });
  // DynamoDB stores 100 bytes more for each item.
  const records = objects * (ITEM_BYTES.object + 100);
  const log =
    puts * overwrites * (ITEM_BYTES.change + 100) +
    puts * (1 - overwrites) * (ITEM_BYTES.creation + 100) +
    deletes * (ITEM_BYTES.deletion + 100);
  const tables = (records + log * months) / GB;
  bill.add('records and log', { dynamodbGb: tables, dynamodbBackupGb: tables });
  const minutes = SECONDS / 60;
  const milliseconds = ASSUMED.duration.maintain;
  const background = DEPLOYED.backgroundGb;
  bill.operation('maintenance', 'maintain', minutes, { milliseconds, gb: background });
  const quiet = minutes * (buckets - 1);
  bill.operation('maintenance', 'quietBucket', quiet);
  const quietSeconds = ASSUMED.duration.quietBucket / 1000;
  bill.add('maintenance', { lambdaGbSeconds: quiet * quietSeconds * background });
  const look = { milliseconds: ASSUMED.duration.head, gb: background };
  bill.operation('maintenance', 'copyNothing', minutes, look);
  bill.operation('maintenance', 'expireNothing', minutes / 15, { milliseconds, gb: background });
  bill.operation('maintenance', 'settleNothing', minutes / 60, { milliseconds, gb: background });
  const days = HOURS / 24;
  // Each day blobs and records are listed twice, and compared in both directions.
  bill.add('reconciling', {
    s3Writes: ((2 * objects) / 1000) * days,
    dynamodbReads: (2 * objects * ITEM_BYTES.object * days) / 4096,
    lambdaGbSeconds: objects * days * 0.0005 * background,
  });
  bill.add('queue', { sqsRequests: QUEUE_POLLS });
  if (workload.edge) bill.add('secret of the edge', { secrets: 1 });
  if (workload.webAcl) bill.add('web ACL', { webAcls: 1, webAclRules: 2 });
}

/**
 * CloudWatch bills a metric for each hour in which it was sent. Metrics by route are sent in hours
 * with requests, OrphanBytes in one hour a day, PublishLag when a stream is read late.
 */
function addWatching(bill: Bill, workload: Workload): void {
  const { puts, gets, heads, deletes, lists, metrics, dashboard } = workload;
  const routes = metrics === 'all' ? [puts, gets, heads, deletes, lists] : [];
  const requests = routes.reduce((total, count) => total + count, 0);
  if (metrics !== 'none') {
    const byRoute = routes.reduce((total, count) => total + Math.min(1, count / HOURS), 0);
    const lines = requests * ASSUMED.metricsLine;
    bill.add('metrics', { metrics: byRoute + 1 / 24, logsGb: lines / GB });
  }
  const alarms = workload.alarms || dashboard ? DEPLOYED.alarms[metrics] : 0;
  bill.add('alarms', { alarms, dashboards: dashboard ? 1 : 0 });
  const logLines = bill.lines.filter(({ price }) => price === 'logsGb');
  // The logs of one month, compressed to about a sixth.
  const logs = logLines.reduce((total, { quantity }) => total + quantity, 0);
  bill.add('stored logs', { logsStoredGb: logs / 6 });
}
