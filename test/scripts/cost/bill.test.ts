import { PingSchedule } from '../../../client/channel/ping-schedule';
import { billOf, type Line, pingRate, priceOf, totalOf } from '../../../scripts/cost/bill';
import {
  ITEM_BYTES,
  OPERATIONS,
  readUnits,
  unitsOf,
  writeUnits,
} from '../../../scripts/cost/calls';
import { planFor } from '../../../scripts/cost/plans';
import prices from '../../../scripts/cost/prices.json';
import { rivalsOf } from '../../../scripts/cost/rivals';
import { EXAMPLES, parseWorkload, type Workload } from '../../../scripts/cost/workload';

function workload(...flags: string[]): Workload {
  const parsed = parseWorkload(flags);
  if (parsed === 'help') throw new Error('help');
  return parsed.workload;
}

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
])('an item of %d bytes takes %d read units and %d write units', (bytes, reads, writes) => {
  expect([readUnits(bytes), writeUnits(bytes)]).toEqual([reads, writes]);
});

test('a PUT takes one read unit and a write unit for the cursor; entry and record count twice in the transaction, and the entry of a replaced object has 2 KiB', () => {
  expect(unitsOf('create')).toEqual({ reads: 1, writes: 1 + 2 * (1 + 1) });
  expect(unitsOf('put')).toEqual({ reads: 1, writes: 1 + 2 * (2 + 1) });
});

test('--no-idempotency leaves out what the Idempotency-Key of a write costs', () => {
  const flags = ['--puts', '1e6', '--deletes', '1e6'];
  const [all, less] = [billOf(workload(...flags)), billOf(workload(...flags, '--no-idempotency'))];
  const saved = totalOf(all) - totalOf(less);
  // A read and two write units each, and two days of storage with backups.
  const stored = ((2e6 * 1100 * 48) / 730 / 1e9) * (0.25 + 0.2);
  expect(saved).toBeCloseTo(2 * (0.125 + 2 * 0.625) + stored, 1);
});

test('a list of 100 objects reads its bucket twice and 100 records', () => {
  expect(unitsOf('list').reads).toBe(2 + Math.ceil((100 * ITEM_BYTES.object) / 4096));
});

// Computed by hand from the price list, for objects of 100 KiB.
test('a million PUTs and ten million GETs cost what the price list says', () => {
  const lines = billOf(workload('--puts', '1e6', '--gets', '1e7', '--gb', '100', '--no-edge'));
  expect(part(lines, 'PUT', 'apiRequests')).toBeCloseTo(3.5);
  expect(part(lines, 'PUT', 's3Writes')).toBeCloseTo(5);
  // With the record of the Idempotency-Key.
  expect(part(lines, 'PUT', 'dynamodbWrites')).toBeCloseTo((5 + 2) * 0.625);
  expect(part(lines, 'PUT', 'dynamodbReads')).toBeCloseTo(2 * 0.125);
  // 54 ms, 102,400 bytes at 20 MB/s, and a hundredth of a start, in 1 GB.
  expect(part(lines, 'PUT', 'lambdaGbSeconds')).toBeCloseTo(1e6 * 0.06312 * 0.0000133334);
  expect(part(lines, 'GET', 's3Reads')).toBeCloseTo(4);
  expect(part(lines, 'GET', 'apiRequests')).toBeCloseTo(35);
  expect(part(lines, 'data to the internet', 'transferGb')).toBeCloseTo(1024 * 0.09);
  expect(part(lines, 'stored objects', 's3Gb')).toBeCloseTo(2.3);
  // 976,562.5 objects, listed twice on each of 30.4 days.
  expect(part(lines, 'reconciling', 's3Writes')).toBeCloseTo(2 * 976.5625 * (730 / 24) * 0.000005);
});

test('a follower costs 10,950 pings, as many responses, and 43,800 minutes', () => {
  const lines = billOf(workload('--followers', '1'));
  const connections = 365;
  expect(part(lines, 'open channels', 'socketMinutes')).toBeCloseTo((43_800 * 0.25) / 1e6);
  const messages = 10_950 + connections + 10_950 + connections;
  expect(part(lines, 'open channels', 'socketMessages')).toBeCloseTo(messages / 1e6);
});

test('a follower of a bucket with a change every ten seconds pings once in five minutes or when a silence lasts', () => {
  const messagesOf = (puts: number) => {
    const lines = billOf(workload('--followers', '1', '--puts', `${puts}`));
    return part(lines, 'open channels', 'socketMessages') * 1e6;
  };
  // Of 262,800 silences 1 in 20 lasts for 30 seconds. Of 8,760 times five minutes, 1 in 5 has none.
  const pings = 262_800 * Math.exp(-3) + 8_760 * (1 - Math.exp(-3)) ** 30;
  expect(messagesOf(262_800)).toBeCloseTo(2 * (pings + 365), -2);
});

test('clients transfer objects to and from S3 directly when these are too large for a function', () => {
  const lines = billOf(workload('--puts', '1e6', '--gets', '1e6', '--size', '1e8'));
  expect(part(lines, 'PUT', 's3Writes')).toBeCloseTo(5);
  // One request to the gateway signs the URL. Functions transfer no content.
  expect(part(lines, 'PUT', 'apiRequests')).toBeCloseTo(3.5);
  expect(part(lines, 'PUT', 'lambdaGbSeconds')).toBeCloseTo(
    1e6 * (0.022 + 0.078 * 0.5) * 0.0000133334,
  );
});

test('CloudFront adds the price of its requests, and replaces the price of transfers', () => {
  const lines = billOf(workload('--gets', '1e6'));
  expect(part(lines, 'GET', 'cloudfrontRequests')).toBeCloseTo(1);
  expect(part(lines, 'data to the internet', 'cloudfrontGb')).toBeCloseTo(102.4 * 0.085);
  expect(part(lines, 'data to the internet', 'transferGb')).toBe(0);
});

test('direct downloads do without the requests to the API, and other requests do not', () => {
  const lines = billOf(
    workload('--gets', '1e6', '--heads', '1e6', '--puts', '1e6', '--direct-downloads'),
  );
  const requests = ['GET', 'HEAD', 'PUT'].map((cause) => part(lines, cause, 'apiRequests'));
  expect(requests).toEqual([0, 0, 3.5]);
  expect(part(lines, 'GET', 'cloudfrontRequests')).toBeCloseTo(1);
});

test('CloudFront bills the bodies of uploads that it passes on to the API', () => {
  const toOrigin = (...flags: string[]) =>
    part(billOf(workload('--puts', '1e6', ...flags)), 'data from the edge', 'cloudfrontToOriginGb');
  expect(toOrigin('--size', '1e6')).toBeCloseTo(1000 * 0.02);
  expect(toOrigin('--size', '1e6', '--no-edge')).toBe(0);
  // Clients send them to S3 directly.
  expect(toOrigin('--size', '1e7')).toBe(0);
});

test('the protection of the edge costs a web ACL with two rules, its requests, and a secret', () => {
  const lines = billOf(workload('--gets', '1e6'));
  expect(part(lines, 'web ACL', 'webAcls') + part(lines, 'web ACL', 'webAclRules')).toBe(7);
  expect(part(lines, 'GET', 'webAclRequests')).toBeCloseTo(0.6);
  expect(part(lines, 'secret of the edge', 'secrets')).toBeCloseTo(0.4);
  const causes = (...flags: string[]) => billOf(workload(...flags)).map(({ cause }) => cause);
  expect(causes('--no-web-acl')).not.toContain('web ACL');
  expect(causes('--no-web-acl')).toContain('secret of the edge');
  expect(causes('--no-edge')).not.toContain('secret of the edge');
});

test('a plan of CloudFront replaces what CloudFront and its web ACL cost by use, and nothing else', () => {
  const flags = ['--gets', '1e8', '--puts', '1e7', '--direct-downloads'];
  const byUse = billOf(workload(...flags));
  const planned = billOf(workload(...flags, '--plan', 'business'));
  const covered = /^(cloudfront(Requests|Functions|Gb)|webAcl)/;
  expect(part(planned, 'plan of CloudFront: business', 'planBusiness')).toBe(200);
  expect(planned.filter(({ price }) => covered.test(price))).toEqual([]);
  const uncovered = byUse.filter(({ price }) => !covered.test(price));
  expect(totalOf(planned)).toBeCloseTo(200 + totalOf(uncovered));
  expect(part(planned, 'data from the edge', 'cloudfrontToOriginGb')).toBeGreaterThan(0);
});

test.each([
  [['--gets', '1e6', '--size', '100000'], 'free'],
  [['--gets', '1e6', '--puts', '1'], 'pro'],
  [['--gets', '1e6', '--size', '100001'], 'pro'],
  [['--gets', '1.25e8'], 'business'],
  [['--gets', '1.25e8', '--lists', '1'], 'premium'],
  [['--gets', '5e8', '--lists', '1'], undefined],
  [['--gets', '1', '--no-edge'], undefined],
])('planFor finds for %j the plan %s', (flags, name) => {
  expect(planFor(workload(...flags))).toBe(name);
});

test('other services cost what their price lists say', () => {
  const rivals = rivalsOf(workload('--puts', '1e6', '--gets', '1e7', '--gb', '100'));
  expect(rivals['S3 alone']).toBeCloseTo(2.3 + 5 + 4 + 92.16);
  expect(rivals['Cloudflare R2']).toBeCloseTo(1.5 + 4.5 + 3.6);
  expect(rivals['Vercel Blob']).toBeCloseTo(2.3 + 5 + 4 + 22 + 51.2);
});

test('a larger workload costs more', () => {
  const busy = EXAMPLES.Busy;
  if (busy === undefined) throw new Error('no example');
  const counts = ['puts', 'gets', 'heads', 'deletes', 'lists', 'gb', 'keys', 'followers'] as const;
  for (const name of [...counts, 'retentionDays'] as const) {
    const more = { ...busy, [name]: busy[name] * 2 };
    expect([name, totalOf(billOf(more))]).toEqual([name, expect.any(Number)]);
    expect(totalOf(billOf(more))).toBeGreaterThan(totalOf(billOf(busy)));
  }
});

test('every price has a unit, a source and a date', () => {
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

test('metrics are billed by the hours in which they are sent, and a dashboard by the month', () => {
  const metricsOf = (...flags: string[]) =>
    part(billOf(workload(...flags)), 'metrics', 'metrics') / 0.3;
  // Two routes, one of them with requests in half of the hours; and a metric of the janitor.
  expect(metricsOf('--puts', '365', '--gets', '1e6')).toBeCloseTo(1.5 + 1 / 24);
  expect(metricsOf('--gets', '1e6', '--metrics', 'essential')).toBeCloseTo(1 / 24);
  expect(metricsOf('--gets', '1e6', '--metrics', 'none')).toBe(0);
  expect(part(billOf(workload('--cloudwatch-dashboard')), 'alarms', 'dashboards')).toBe(3);
  const alarmsOf = (...flags: string[]) => part(billOf(workload(...flags)), 'alarms', 'alarms');
  expect([alarmsOf(), alarmsOf('--no-alarms')]).toEqual([alarmsOf('--cloudwatch-dashboard'), 0]);
  expect(alarmsOf()).toBeCloseTo(3.2);
});

test('every call of an operation has a name, and request units when it is a call of DynamoDB', () => {
  for (const { name, ...units } of Object.values(OPERATIONS).flat()) {
    const isTable =
      /^(GetItem|Query|BatchGetItem|PutItem|UpdateItem|DeleteItem|BatchWriteItem|TransactWriteItems)$/;
    expect([name, Object.keys(units).length]).toEqual([name, isTable.test(name) ? 1 : 0]);
  }
});

/** Pings of the client's schedule in so many seconds, with changes at random moments. */
function pingsOfClient(changesPerSecond: number, seconds: number): number {
  let state = 1;
  const random = () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
  const nextChange = (now: number) => now - (Math.log(random()) / changesPerSecond) * 1000;
  const schedule = new PingSchedule(0);
  let pings = 0;
  let heardAt = 0;
  let changeAt = nextChange(0);
  for (let now = 0; now < seconds * 1000; ) {
    const isPing = schedule.pingAt <= changeAt;
    now = isPing ? schedule.pingAt : changeAt;
    if (isPing) {
      pings += 1;
      schedule.sent(now);
    } else {
      heardAt = now;
      changeAt = nextChange(now);
    }
    schedule.received(now, { oldest: heardAt, newest: heardAt });
  }
  return pings;
}

test.each([0.0003, 0.004, 0.03, 0.1, 1])(
  'with %f changes a second, the bill counts the pings of the client within 10%%',
  (changes) => {
    const seconds = 3e6;
    const ratio = (pingRate(changes) * seconds) / pingsOfClient(changes, seconds);
    expect(ratio).toBeGreaterThan(0.9);
    expect(ratio).toBeLessThan(1.1);
  },
);
