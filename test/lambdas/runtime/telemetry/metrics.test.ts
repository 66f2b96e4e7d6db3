/** The metrics that the functions report, in the format that CloudWatch reads. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import Ajv from 'ajv';
import { maintainLogs } from '../../../../core/maintenance/maintain-logs';
import { NEVER_STOP } from '../../../../core/stop-signal';
import { withMetrics } from '../../../../lambdas/runtime/request-metrics';
import { createMeter, EmfMeter, reporting } from '../../../../lambdas/runtime/telemetry/emf-meter';
import { METRICS } from '../../../../lambdas/runtime/telemetry/metrics';
import { ROUTES } from '../../../../service/routes/routes';
import { createApi } from '../../../../service/storage-api';
import { BUCKET, openBucket, put } from '../../../support/bucket-world';
import { reportEverything } from '../../../support/everything-reported';
import { send } from '../../../support/requests';

const NAME = { type: 'string', minLength: 1, maxLength: 1024 };

/**
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
 */
const isEmbeddedMetricFormat = new Ajv().compile({
  type: 'object',
  required: ['_aws'],
  properties: {
    _aws: {
      type: 'object',
      required: ['Timestamp', 'CloudWatchMetrics'],
      properties: {
        Timestamp: { type: 'integer' },
        CloudWatchMetrics: {
          type: 'array',
          minItems: 1,
          items: {
            type: 'object',
            required: ['Namespace', 'Dimensions', 'Metrics'],
            additionalProperties: false,
            properties: {
              Namespace: NAME,
              Dimensions: {
                type: 'array',
                minItems: 1,
                items: { type: 'array', maxItems: 30, items: { type: 'string', maxLength: 250 } },
              },
              Metrics: {
                type: 'array',
                minItems: 1,
                maxItems: 100,
                items: {
                  type: 'object',
                  required: ['Name', 'Unit'],
                  properties: {
                    Name: NAME,
                    Unit: { enum: ['Milliseconds', 'Seconds', 'Bytes', 'Count'] },
                  },
                },
              },
            },
          },
        },
      },
    },
  },
});

interface Directive {
  readonly Namespace: string;
  readonly Dimensions: readonly (readonly string[])[];
  readonly Metrics: readonly { readonly Name: keyof typeof METRICS; readonly Unit: string }[];
}

const directivesOf = (line: string): Directive[] => JSON.parse(line)._aws.CloudWatchMetrics;

function collecting(level: 'all' | 'essential' = 'all') {
  const lines: string[] = [];
  const meter = new EmfMeter({ namespace: 'N', level, write: (line) => lines.push(line) });
  return { meter, lines };
}

describe('the lines that the functions write', () => {
  let lines: string[] = [];
  beforeAll(async () => {
    lines = await reportEverything('Stowage/test');
  });

  test('are in the Embedded Metric Format, with a number for each metric and a string for each dimension', () => {
    for (const line of lines) {
      const root = JSON.parse(line);
      isEmbeddedMetricFormat(root);
      expect([isEmbeddedMetricFormat.errors, line.includes('\n')]).toEqual([null, false]);
      for (const { Namespace, Dimensions, Metrics } of directivesOf(line)) {
        expect(Namespace).toBe('Stowage/test');
        for (const { Name, Unit } of Metrics) {
          expect([Name, Unit]).toEqual([Name, METRICS[Name].unit]);
          expect(Number.isFinite(root[Name])).toBe(true);
        }
        for (const name of Dimensions.flat()) expect(typeof root[name]).toBe('string');
      }
    }
  });

  // Lambda rewrites a line without these:
  // https://docs.aws.amazon.com/lambda/latest/dg/monitoring-cloudwatchlogs-log-level.html
  test('have the time and the level by which Lambda leaves them as they are', () => {
    for (const line of lines) {
      expect(JSON.parse(line)).toMatchObject({
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        level: 'info',
      });
    }
  });

  test('have every metric of the catalogue with its dimension', () => {
    const reported = lines.flatMap(directivesOf).flatMap(({ Dimensions, Metrics }) =>
      Metrics.map(({ Name }) => {
        expect(Dimensions).toEqual([[METRICS[Name].dimension ?? []].flat()]);
        return Name;
      }),
    );
    expect([...new Set(reported)].sort()).toEqual(Object.keys(METRICS).sort());
  });

  test('have every route, and no value that a client chose', () => {
    const routes = lines.map((line) => JSON.parse(line).Route).filter(Boolean);
    expect([...new Set(routes)].sort()).toEqual([...ROUTES].sort());
    expect(lines.join('\n')).not.toMatch(/private|photos|other\//);
  });

  test('have the ids of the request and of its API key', () => {
    const requests = lines
      .map((line) => JSON.parse(line))
      .filter(({ Route }) => Route === 'putObject');
    expect(requests[0]).toMatchObject({ requestId: 'request-1', keyId: 'key-1', status: 201 });
  });

  test('include no successful request at level essential', async () => {
    const essential = await reportEverything('N', 'essential');
    const names = essential.flatMap(directivesOf).flatMap(({ Metrics }) => Metrics);
    expect(new Set(names.map(({ Name }) => METRICS[Name].dimension))).toEqual(
      new Set([undefined, 'Tier']),
    );
    expect(essential.length).toBeLessThan(20);
  });
});

test('docs/operations.md lists each metric with its unit and dimension', () => {
  const page = readFileSync(path.join(__dirname, '../../../../docs/operations.md'), 'utf8');
  const documented = [...page.matchAll(/^\| (\w+) \| (ms|s|count|bytes) \| (\w*) ?\|/gm)].map(
    ([, name, unit, dimension]) => [name, unit, dimension],
  );
  const units = { Milliseconds: 'ms', Seconds: 's', Count: 'count', Bytes: 'bytes' };
  expect(documented).toEqual(
    Object.entries(METRICS).map(([name, { unit, dimension = '' }]) => [
      name,
      units[unit],
      dimension,
    ]),
  );
});

test('a failed request writes one line with its latency and its error', async () => {
  const { deps } = await openBucket();
  const { meter, lines } = collecting();
  const objects = { ...deps.objects, get: () => Promise.reject(new Error('lost')) };
  const all = { ...deps, objects, meter, syncUrl: '', responseMode: 'buffered' as const };
  await send(withMetrics(meter, createApi(all as never)), { path: `/objects/${BUCKET}/k` });
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { Route: 'getObject', Errors: 1, status: 500, Latency: expect.any(Number) },
  ]);
  expect(JSON.parse(lines[0] ?? '')).not.toHaveProperty('Refusals');
});

test('an invocation that throws reports its counts, and one without counts writes nothing', async () => {
  const { meter, lines } = collecting();
  const handler = reporting(meter, async (count: number) => {
    if (count === 0) return;
    for (let n = 0; n < count; n++) meter.add('GapFills', 1);
    throw new Error('failed');
  });
  await handler(0);
  expect(lines).toEqual([]);
  await expect(handler(3)).rejects.toThrow('failed');
  await expect(handler(1)).rejects.toThrow('failed');
  expect(lines.map((line) => JSON.parse(line).GapFills)).toEqual([3, 1]);
});

test('createMeter writes nothing without a namespace, and throws for an unknown level', () => {
  const texts: string[] = [];
  const write = jest.spyOn(process.stdout, 'write').mockImplementation((text) => {
    texts.push(String(text));
    return true;
  });
  for (const namespace of [undefined, 'N']) {
    const meter = createMeter(namespace, 'essential');
    meter.add('GapFills', 1);
    meter.report();
  }
  write.mockRestore();
  expect(texts).toEqual([expect.stringMatching(/^\{.*"GapFills":1.*\}\n$/)]);
  expect(() => createMeter('N', 'some')).toThrow('METRICS must be all or essential, got some');
});

describe('PublishLag, which the janitor measures each minute', () => {
  test('is the age of the oldest change that is not published', async () => {
    const { deps } = await openBucket();
    await put(deps, 'a', 'x');
    deps.clock.advance(30_000);
    await put(deps, 'b', 'x');
    deps.clock.advance(10_000);
    await maintainLogs(deps, NEVER_STOP);
    // The two seconds that it waits for writers in flight are part of it.
    expect(deps.meter.amounts('PublishLag')).toEqual([42]);
  });

  test('is not reported when every change is published, nor when a writer failed after the last change', async () => {
    const { deps, bucket } = await openBucket();
    await maintainLogs(deps, NEVER_STOP);
    await deps.commits.allocate(bucket);
    deps.clock.advance(50_000);
    await maintainLogs(deps, NEVER_STOP);
    expect(deps.meter.amounts('PublishLag')).toEqual([]);
    expect(deps.meter.sum('GapFills')).toBe(1);
  });
});

describe('ConsumerLag, which the janitor measures each minute', () => {
  test('is the age of the oldest change that some consumer is not done with', async () => {
    const { deps, bucket } = await openBucket();
    const store = (name: string, cursor: number, bucketId = bucket.id) => {
      const updatedAt = deps.clock.iso();
      const consumer = { bucketId, name, prefix: '', cursor, updatedAt };
      return deps.consumers.put(consumer, undefined);
    };
    for (const key of ['a', 'b', 'c']) {
      await put(deps, key, 'x');
      deps.clock.advance(10_000);
    }
    await maintainLogs(deps, NEVER_STOP);
    expect(deps.meter.amounts('ConsumerLag')).toEqual([]);
    await store('done', 3);
    await store('gone', 0, 'anotherBucket');
    await maintainLogs(deps, NEVER_STOP);
    expect(deps.meter.amounts('ConsumerLag')).toEqual([]);
    for (const [name, cursor] of [
      ['first', 1],
      ['second', 2],
    ] as const)
      await store(name, cursor);
    deps.clock.advance(10_000);
    await maintainLogs(deps, NEVER_STOP);
    expect(deps.meter.amounts('ConsumerLag')).toEqual([32]);
  });
});
