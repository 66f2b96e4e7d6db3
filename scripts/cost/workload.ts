/** The usage of one month, read from the flags of `npm run cost`. */
import { parseArgs } from 'node:util';
import { PLAN_NAMES, type PlanName, planFor } from './plans';

const METRICS = ['all', 'essential', 'none'] as const;
type MetricsChoice = (typeof METRICS)[number];

/** The usage of one month of 730 hours, evenly distributed. */
export interface Workload {
  readonly puts: number;
  readonly gets: number;
  readonly heads: number;
  readonly deletes: number;
  readonly lists: number;
  /** Bytes of each object. */
  readonly size: number;
  /** Gigabytes stored, on average. */
  readonly gb: number;
  readonly buckets: number;
  /** API keys in use. */
  readonly keys: number;
  /** Channels that are always open, each of which follows one bucket. */
  readonly followers: number;
  /** Share of the PUTs that replace an object. The retention applies to the old version. */
  readonly overwrites: number;
  readonly retentionDays: number;
  /** The setting `versioned`. */
  readonly versioned: boolean;
  /** Writes have an Idempotency-Key, as those of the client do. */
  readonly idempotency: boolean;
  /** With CloudFront in front: the setting `edge`. */
  readonly edge: boolean;
  /** The edge has a web ACL. */
  readonly webAcl: boolean;
  /** The flat-rate plan of the distribution; absent: CloudFront is paid by use. */
  readonly plan?: PlanName;
  /** The setting `directDownloads` of `edge`. */
  readonly directDownloads: boolean;
  /** The setting `metrics`; `none` stands for `false`. */
  readonly metrics: MetricsChoice;
  /** With the setting `alarmTopicArn`, or `alarms`. The dashboard has alarms in any case. */
  readonly alarms: boolean;
  readonly dashboard: boolean;
}

/** A flag is missing or not valid. The message says what to write. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

const IDLE: Workload = {
  puts: 0,
  gets: 0,
  heads: 0,
  deletes: 0,
  lists: 0,
  size: 102_400,
  gb: 0,
  buckets: 1,
  keys: 1,
  followers: 0,
  overwrites: 0,
  retentionDays: 7,
  versioned: true,
  idempotency: true,
  edge: true,
  webAcl: false,
  directDownloads: false,
  metrics: 'all',
  alarms: false,
  dashboard: false,
};

/** The workloads that docs/cost.md shows. */
export const EXAMPLES: Readonly<Record<string, Workload>> = {
  Idle: IDLE,
  'A small team': {
    ...IDLE,
    puts: 50_000,
    gets: 500_000,
    heads: 20_000,
    deletes: 5_000,
    lists: 20_000,
    gb: 20,
    buckets: 5,
    keys: 10,
    followers: 10,
    overwrites: 0.2,
    directDownloads: true,
    metrics: 'essential',
  },
  Busy: {
    ...IDLE,
    puts: 10_000_000,
    gets: 100_000_000,
    heads: 5_000_000,
    deletes: 1_000_000,
    lists: 1_000_000,
    gb: 1_000,
    buckets: 50,
    keys: 200,
    followers: 200,
    overwrites: 0.2,
    webAcl: true,
    alarms: true,
    directDownloads: true,
  },
};

export const USAGE = `The monthly bill of a deployment in us-east-1, compared with S3 alone, Cloudflare R2 and Vercel Blob.

  npm run cost -- --puts 1e6 --gets 1e7 --gb 100

  --puts N --gets N --heads N --deletes N --lists N
                     requests a month (0)
  --size BYTES       of an object (102400)
  --gb N             stored (0)
  --buckets N        (1)
  --keys N           API keys in use (1)
  --followers N      channels that are always open (0)
  --overwrites SHARE of the PUTs that replace an object, 0 to 1 (0)
  --retention-days N retention of old versions (7)
  --no-versions      the setting "versioned": false
  --no-idempotency   writes without an Idempotency-Key (the client sends one)
  --no-edge          without CloudFront in front (the setting "edge": false)
  --no-web-acl       without a web ACL (the setting "requestsPerFiveMinutes": false of "edge")
  --plan NAME        the flat-rate plan of the distribution: ${PLAN_NAMES.join(', ')} (none)
  --direct-downloads past API Gateway (the setting "directDownloads" of "edge")
  --no-alarms        without an alarm topic (the setting "alarmTopicArn")
  --metrics WHICH    ${METRICS.join(', ')} (all): the setting "metrics"
  --cloudwatch-dashboard
                     with the setting "cloudWatchDashboard": true
  --json             the lines as JSON
  --write            generates the tables of docs/cost.md, and does nothing else
`;

const FLAG = { type: 'string' } as const;

/** Returns the workload that the flags describe. Throws UsageError for a wrong flag. */
export function parseWorkload(
  argv: readonly string[],
): 'help' | { readonly workload: Workload; readonly json: boolean } {
  const { values } = parsed(argv);
  if (values.help) return 'help';
  const number = (
    name: string,
    text: string | undefined,
    least = 0,
    most = 1e15,
  ): number | undefined => {
    if (text === undefined) return undefined;
    const value = Number(text);
    if (text.trim() !== '' && value >= least && value <= most) return value;
    throw new UsageError(
      `--${name} must be a number from ${least} to ${most}, such as --${name} ${least === 0 ? '1e6' : least}; got ${JSON.stringify(text)}`,
    );
  };
  const given = {
    puts: number('puts', values.puts),
    gets: number('gets', values.gets),
    heads: number('heads', values.heads),
    deletes: number('deletes', values.deletes),
    lists: number('lists', values.lists),
    size: number('size', values.size, 0, 5 * 1024 ** 4),
    gb: number('gb', values.gb),
    buckets: number('buckets', values.buckets, 1),
    keys: number('keys', values.keys, 1),
    followers: number('followers', values.followers),
    overwrites: number('overwrites', values.overwrites, 0, 1),
    retentionDays: number('retention-days', values['retention-days'], 1 / 24, 36_500),
  };
  const named = Object.fromEntries(
    Object.entries(given).filter(([, value]) => value !== undefined),
  );
  const metrics = METRICS.find((choice) => choice === (values.metrics ?? 'all'));
  if (metrics === undefined) {
    throw new UsageError(`--metrics must be ${METRICS.join(', ')}; got ${values.metrics}`);
  }
  const plan = PLAN_NAMES.find((name) => name === values.plan);
  if (plan === undefined && values.plan !== undefined) {
    throw new UsageError(`--plan must be ${PLAN_NAMES.join(', ')}; got ${values.plan}`);
  }
  const workload = { ...IDLE, ...named, ...switchesOf(values), metrics, ...(plan && { plan }) };
  checkPlan(workload);
  if (workload.gb > 0 && workload.size === 0) {
    throw new UsageError('--size must be above 0 when --gb is: how many objects are stored?');
  }
  return { workload, json: values.json };
}

function switchesOf(values: ReturnType<typeof parsed>['values']) {
  const edge = !values['no-edge'];
  return {
    edge,
    webAcl: edge && !values['no-web-acl'],
    directDownloads: edge && values['direct-downloads'],
    alarms: !values['no-alarms'],
    versioned: !values['no-versions'],
    idempotency: !values['no-idempotency'],
    dashboard: values['cloudwatch-dashboard'],
  };
}

/** Throws UsageError when the distribution cannot have the plan, or the plan does not suffice. */
function checkPlan({ plan, ...workload }: Workload): void {
  if (plan === undefined) return;
  if (!workload.webAcl) throw new UsageError('--plan needs the edge and its web ACL');
  const least = planFor(workload);
  if (least !== undefined && PLAN_NAMES.indexOf(least) <= PLAN_NAMES.indexOf(plan)) return;
  throw new UsageError(`--plan ${plan} allows less traffic than this; it takes ${least ?? 'more'}`);
}

function parsed(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      options: {
        puts: FLAG,
        gets: FLAG,
        heads: FLAG,
        deletes: FLAG,
        lists: FLAG,
        size: FLAG,
        gb: FLAG,
        buckets: FLAG,
        keys: FLAG,
        followers: FLAG,
        overwrites: FLAG,
        'retention-days': FLAG,
        metrics: FLAG,
        plan: FLAG,
        'cloudwatch-dashboard': { type: 'boolean', default: false },
        'no-idempotency': { type: 'boolean', default: false },
        'no-versions': { type: 'boolean', default: false },
        'no-edge': { type: 'boolean', default: false },
        'direct-downloads': { type: 'boolean', default: false },
        'no-alarms': { type: 'boolean', default: false },
        'no-web-acl': { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message : error}; see --help`);
  }
}
