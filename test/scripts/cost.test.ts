import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { newApiKey } from '../../core/access/api-key';
import { ALL_PERMISSIONS } from '../../core/access/permissions';
import { nextAncestors } from '../../core/log/history';
import { changeItem } from '../../lambdas/shared/dynamodb/change-log';
import { connectionItem } from '../../lambdas/shared/dynamodb/channel/connections';
import { apiKeyItem } from '../../lambdas/shared/dynamodb/items/api-key-item';
import { type Item as DynamoItem, toItem } from '../../lambdas/shared/dynamodb/items/attributes';
import { newStatsItem, recordItem } from '../../lambdas/shared/dynamodb/items/bucket-item';
import { objectFields } from '../../lambdas/shared/dynamodb/items/object-item';
import { uploadItem } from '../../lambdas/shared/dynamodb/items/upload-item';
import { ASSUMED, billOf, DEPLOYED, type Line, priceOf, totalOf } from '../../scripts/cost/bill';
import { ITEM_BYTES, OPERATIONS, readUnits, unitsOf, writeUnits } from '../../scripts/cost/calls';
import { currentPage } from '../../scripts/cost/page';
import prices from '../../scripts/cost/prices.json';
import { rivalsOf } from '../../scripts/cost/rivals';
import { usd } from '../../scripts/cost/table';
import { EXAMPLES, parseWorkload, UsageError, type Workload } from '../../scripts/cost/workload';
import { useStorage } from '../lib/synthesize';
import { reportEverything } from '../support/everything-reported';
import { liveObject, newBucket, newUpload } from '../support/samples';

const ROOT = path.join(__dirname, '..', '..');
const PAGE = readFileSync(path.join(ROOT, 'docs/cost.md'), 'utf8');

function workload(...flags: string[]): Workload {
  const parsed = parseWorkload(flags);
  if (parsed === 'help') throw new Error('help');
  return parsed.workload;
}

const { template } = useStorage();
const essential = useStorage({ metrics: 'essential' });
const none = useStorage({ metrics: false });

const alarmsIn = (of: typeof template) =>
  Object.keys(of.findResources('AWS::CloudWatch::Alarm')).length;

/** Dollars of one cause at one price. */
function part(lines: readonly Line[], cause: string, price: string): number {
  return totalOf(lines.filter((line) => line.cause === cause && line.price === price));
}

test.each([
  [0, 1, 1],
  [1024, 1, 1],
  [1025, 1, 2],
  [4096, 1, 4],
  [4097, 2, 5],
])('an item of %d bytes is %d read units and %d write units', (bytes, reads, writes) => {
  expect([readUnits(bytes), writeUnits(bytes)]).toEqual([reads, writes]);
});

test('a PUT is one read, and seven writes: the number, and entry (2 KiB) and record twice', () => {
  expect(unitsOf('put')).toEqual({ reads: 1, writes: 1 + 2 * (2 + 1) });
});

test('a list of 100 objects reads its bucket twice and 100 records', () => {
  expect(unitsOf('list').reads).toBe(2 + Math.ceil((100 * ITEM_BYTES.object) / 4096));
});

// By hand, at the prices of the list: 1 M PUTs and 10 M GETs of 100 KiB.
test('a million PUTs and ten million GETs', () => {
  const lines = billOf(workload('--puts', '1e6', '--gets', '1e7', '--gb', '100', '--no-edge'));
  expect(part(lines, 'PUT', 'apiRequests')).toBeCloseTo(3.5);
  expect(part(lines, 'PUT', 's3Writes')).toBeCloseTo(5);
  expect(part(lines, 'PUT', 'dynamodbWrites')).toBeCloseTo(7 * 0.625);
  expect(part(lines, 'PUT', 'dynamodbReads')).toBeCloseTo(0.125);
  // 60 ms and 102,400 bytes at 20 MB/s in 1 GB.
  expect(part(lines, 'PUT', 'lambdaGbSeconds')).toBeCloseTo(1e6 * 0.06512 * 0.0000133334);
  expect(part(lines, 'GET', 's3Reads')).toBeCloseTo(4);
  expect(part(lines, 'GET', 'apiRequests')).toBeCloseTo(35);
  expect(part(lines, 'data to the internet', 'transferGb')).toBeCloseTo(1024 * 0.09);
  expect(part(lines, 'stored objects', 's3Gb')).toBeCloseTo(2.3);
  // 976,562.5 objects, each looked for on each of 30.4 days.
  expect(part(lines, 'reconciling', 's3Reads')).toBeCloseTo(976_562.5 * (730 / 24) * 0.0000004);
});

test('a follower pings every 30 s: 87,600 messages in, as many out, and 43,800 minutes', () => {
  const lines = billOf(workload('--followers', '1'));
  const connections = 365;
  expect(part(lines, 'open channels', 'socketMinutes')).toBeCloseTo((43_800 * 0.25) / 1e6);
  const messages = 87_600 + connections + 87_600 + connections;
  expect(part(lines, 'open channels', 'socketMessages')).toBeCloseTo(messages / 1e6);
});

test('objects that do not fit a function go to and from S3 directly', () => {
  const lines = billOf(workload('--puts', '1e6', '--gets', '1e6', '--size', '1e8'));
  expect(part(lines, 'PUT', 's3Writes')).toBeCloseTo(5);
  // One request to the gateway to sign; functions carry nothing.
  expect(part(lines, 'PUT', 'apiRequests')).toBeCloseTo(3.5);
  expect(part(lines, 'PUT', 'lambdaGbSeconds')).toBeCloseTo(
    1e6 * (0.02 + 0.08 * 0.5) * 0.0000133334,
  );
  expect(part(lines, 'GET', 'lambdaStreamedGb')).toBe(0);
});

test('with CloudFront in front its requests come to it, and the bytes are its own', () => {
  const lines = billOf(workload('--gets', '1e6'));
  expect(part(lines, 'GET', 'cloudfrontRequests')).toBeCloseTo(1);
  expect(part(lines, 'data to the internet', 'cloudfrontGb')).toBeCloseTo(102.4 * 0.085);
  expect(part(lines, 'data to the internet', 'transferGb')).toBe(0);
});

test('elsewhere', () => {
  const rivals = rivalsOf(workload('--puts', '1e6', '--gets', '1e7', '--gb', '100'));
  expect(rivals['S3 alone']).toBeCloseTo(2.3 + 5 + 4 + 92.16);
  expect(rivals['Cloudflare R2']).toBeCloseTo(1.5 + 4.5 + 3.6);
  expect(rivals['Vercel Blob']).toBeCloseTo(2.3 + 5 + 4 + 22 + 51.2);
});

test('more of anything never costs less', () => {
  const busy = EXAMPLES.Busy;
  if (busy === undefined) throw new Error('no example');
  const counts = ['puts', 'gets', 'heads', 'deletes', 'lists', 'gb', 'keys', 'followers'] as const;
  for (const name of [...counts, 'retentionDays'] as const) {
    const more = { ...busy, [name]: busy[name] * 2 };
    expect([name, totalOf(billOf(more))]).toEqual([name, expect.any(Number)]);
    expect(totalOf(billOf(more))).toBeGreaterThan(totalOf(billOf(busy)));
  }
});

test('every price says what it is for, where it stands and as of when', () => {
  for (const [name, price] of Object.entries(prices.prices)) {
    expect([name, price]).toEqual([
      name,
      {
        usd: expect.any(Number),
        per: expect.any(Number),
        unit: expect.stringMatching(/\w/),
        source: expect.stringMatching(/^https:\/\//),
        asOf: expect.stringMatching(/^20\d\d-(0[1-9]|1[0-2])$/),
      },
    ]);
  }
  expect(priceOf('s3Writes', 1000)).toBe(0.005);
});

/** Bytes as DynamoDB counts them: names, values, a few for each member of a map or list. */
function sizeOf(item: DynamoItem): number {
  return Object.entries(item).reduce(
    (total, [name, value]) => total + Buffer.byteLength(name) + valueSize(value),
    0,
  );
}

function valueSize(value: DynamoItem[string]): number {
  if (value.S !== undefined) return Buffer.byteLength(value.S);
  if (value.N !== undefined) return Math.ceil(value.N.length / 2) + 1;
  if (value.M !== undefined) return 3 + sizeOf(value.M) + Object.keys(value.M).length;
  if (value.L !== undefined) {
    return 3 + value.L.reduce((total, member) => total + 1 + valueSize(member), 0);
  }
  return 1;
}

const KEY = 'reports/2026/november/summary-of-sales.pdf';
const BUCKET_ID = 'a1B2c3D4e5F6';
const previous = liveObject({
  key: KEY,
  blob: `objects/photos.${BUCKET_ID}/${KEY}/01KDVDNA000000000000000001`,
  metadata: {},
});
const object = { ...previous, version: 2, cursor: 2, ancestors: nextAncestors(previous) };
const key = newApiKey();

test.each<[keyof typeof ITEM_BYTES, DynamoItem]>([
  ['bucket', recordItem(newBucket())],
  ['bucket', newStatsItem('photos-of-the-team', BUCKET_ID)],
  ['object', toItem({ bucket_id: BUCKET_ID, ...objectFields(object) })],
  [
    'change',
    changeItem(BUCKET_ID, {
      type: 'put',
      bucket: 'photos',
      cursor: 2,
      at: object.updatedAt,
      object,
      previous,
    }),
  ],
  ['upload', uploadItem({ ...newUpload(), key: KEY, blob: previous.blob })],
  [
    'apiKey',
    apiKeyItem({
      id: key.id,
      name: 'the key of a team',
      secretHash: key.secretHash,
      permissions: ALL_PERMISSIONS,
      createdAt: object.createdAt,
    }),
  ],
  [
    'connection',
    connectionItem({ id: 'L0SM9cOFvHcCIhw=', keyId: key.id, connectedAt: Date.now() }),
  ],
])('an item of %s has about the bytes that the bill has', (name, item) => {
  const bytes = sizeOf(item);
  expect(bytes).toBeLessThanOrEqual(ITEM_BYTES[name]);
  expect(bytes).toBeGreaterThan(ITEM_BYTES[name] / 3);
  // What is not measured exactly must not matter.
  expect([readUnits(bytes), writeUnits(bytes)]).toEqual([
    readUnits(ITEM_BYTES[name]),
    writeUnits(ITEM_BYTES[name]),
  ]);
});

test('what the bill knows of the stack is so: alarms, memory, what the gateway remembers', () => {
  // When this fails: DEPLOYED in scripts/cost/bill.ts, then npm run cost -- --write.
  expect(DEPLOYED.alarms).toEqual({
    all: alarmsIn(template),
    essential: alarmsIn(essential.template),
    none: alarmsIn(none.template),
  });
  template.hasResourceProperties('AWS::ApiGateway::Authorizer', {
    AuthorizerResultTtlInSeconds: DEPLOYED.authorizerTtlSeconds,
  });
  const sizes = Object.values(template.findResources('AWS::Lambda::Function')).map(
    ({ Properties }) => Properties.MemorySize / 1024,
  );
  expect(new Set(sizes)).toEqual(new Set([DEPLOYED.requestGb, DEPLOYED.backgroundGb]));
});

test('what is reported takes the bytes that the bill has', async () => {
  const lines = await reportEverything('Stowage/stowage-production/Storage');
  const least = (name: string) =>
    Math.min(...lines.filter((line) => line.includes(name)).map((line) => line.length));
  // Ids of API Gateway and of keys are longer than those of tests.
  const ids = 36 + 12 - 'request-1key-1'.length;
  expect(ASSUMED.metricsLine / (least('"putObject"') + ids)).toBeCloseTo(1, 1);
  expect(ASSUMED.metricsMinuteLine / least('PublishLag')).toBeCloseTo(1, 0);
});

test('metrics are billed by the hour that they are sent in, a dashboard by the month', () => {
  const metricsOf = (...flags: string[]) =>
    part(billOf(workload(...flags)), 'metrics', 'metrics') / 0.3;
  // Of two routes, one of which is asked for in half of the hours; and the janitor's two.
  expect(metricsOf('--puts', '365', '--gets', '1e6')).toBeCloseTo(1.5 + 1 + 1 / 24);
  expect(metricsOf('--gets', '1e6', '--metrics', 'essential')).toBeCloseTo(1 + 1 / 24);
  expect(metricsOf('--gets', '1e6', '--metrics', 'none')).toBe(0);
  expect(part(billOf(workload('--cloudwatch-dashboard')), 'alarms', 'dashboards')).toBe(3);
});

test('the tables of docs/cost.md are current: npm run cost -- --write', () => {
  expect(currentPage(PAGE)).toBe(PAGE);
});

test('flags are numbers, also as 1e6', () => {
  expect(workload('--puts', '1e6', '--overwrites', '0.5', '--no-edge')).toMatchObject({
    puts: 1_000_000,
    overwrites: 0.5,
    edge: false,
    buckets: 1,
  });
});

test.each([
  [['--puts', 'many'], '--puts must be a number'],
  [['--puts', ''], '--puts must be a number'],
  [['--gets=-1'], '--gets must be a number'],
  [['--overwrites', '2'], '--overwrites must be a number from 0 to 1'],
  [['--buckets', '0'], '--buckets must be a number from 1'],
  [['--gb', '1', '--size', '0'], '--size must be above 0'],
  [['--metrics', 'some'], '--metrics must be all, essential, none; got some'],
  [['--put', '1'], '--help'],
  [['7'], '--help'],
])('%j is refused in words', (flags, message) => {
  expect(() => parseWorkload(flags)).toThrow(UsageError);
  expect(() => parseWorkload(flags)).toThrow(message);
});

test.each([
  [0, '$0.00'],
  [0.004, '< $0.01'],
  [0.005, '$0.01'],
  [1234.5, '$1,234.50'],
])('%d is shown as %s', (amount, text) => {
  expect(usd(amount)).toBe(text);
});

test('the command prints the bill, its lines as JSON, help, and what is wrong', () => {
  const tsx = path.join(ROOT, 'node_modules/.bin/tsx');
  const script = path.join(ROOT, 'scripts/cost.ts');
  const run = (...flags: string[]) => execFileSync(tsx, [script, ...flags], { encoding: 'utf8' });
  expect(run('--puts', '1e6')).toMatch(/\| PUT \|[^\n]+\n/);
  const { total, lines } = JSON.parse(run('--puts', '1e6', '--json'));
  expect(total).toBeCloseTo(totalOf(lines));
  expect(run('--help')).toContain('--puts');
  const wrong = spawnSync(tsx, [script, '--puts', 'x'], { encoding: 'utf8' });
  expect([wrong.status, wrong.stderr]).toEqual([
    1,
    expect.stringMatching(/^--puts must be[^\n]+\n$/),
  ]);
}, 60_000);

test('an operation has a name for each call, and units only where DynamoDB is asked', () => {
  for (const { name, ...units } of Object.values(OPERATIONS).flat()) {
    const isTable =
      /^(GetItem|Query|BatchGetItem|PutItem|UpdateItem|DeleteItem|BatchWriteItem|TransactWriteItems)$/;
    expect([name, Object.keys(units).length]).toEqual([name, isTable.test(name) ? 1 : 0]);
  }
});
