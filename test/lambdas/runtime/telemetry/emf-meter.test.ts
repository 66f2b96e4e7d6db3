import { createMeter, EmfMeter } from '../../../../lambdas/runtime/telemetry/emf-meter';

function collecting(level: 'all' | 'essential' = 'all') {
  const lines: string[] = [];
  const meter = new EmfMeter({ namespace: 'N', level, write: (line) => lines.push(line) });
  return { meter, written: () => lines.splice(0).map((line) => JSON.parse(line)) };
}

test('a report adds up what was counted, by dimension, and begins anew', () => {
  const { meter, written } = collecting();
  meter.add('Latency', 20, 'getObject');
  meter.add('Refusals', 1, 'getObject');
  meter.add('Throttles', 1, 'default');
  for (let n = 1; n <= 3; n++) meter.add('GapFills', n);
  meter.add('OrphanBytes', 0);
  const before = Date.now();
  expect(meter.report({ requestId: 'r' })).toBe(true);

  const [line, ...others] = written();
  expect(others).toEqual([]);
  const { Timestamp, CloudWatchMetrics } = line._aws;
  expect(Timestamp).toBeGreaterThanOrEqual(before);
  expect(line).toEqual({
    ...{ level: 'info', event: 'metrics', requestId: 'r', Route: 'getObject', Tier: 'default' },
    ...{ Latency: 20, Refusals: 1, Throttles: 1, GapFills: 6, OrphanBytes: 0 },
    _aws: { Timestamp, CloudWatchMetrics },
  });
  const count = (Name: string) => ({ Name, Unit: 'Count' });
  const byRoute = [{ Name: 'Latency', Unit: 'Milliseconds' }, count('Refusals')];
  const plain = [count('GapFills'), { Name: 'OrphanBytes', Unit: 'Bytes' }];
  expect(CloudWatchMetrics).toEqual([
    { Namespace: 'N', Dimensions: [['Route']], Metrics: byRoute },
    { Namespace: 'N', Dimensions: [['Tier']], Metrics: [count('Throttles')] },
    { Namespace: 'N', Dimensions: [[]], Metrics: plain },
  ]);

  expect(meter.report({ requestId: 'r' })).toBe(false);
  meter.add('GapFills', 1);
  expect(meter.report()).toBe(true);
  expect(written()).toMatchObject([{ GapFills: 1 }]);
});

test('at level essential nothing is counted by route, all else is', () => {
  const { meter, written } = collecting('essential');
  meter.add('Latency', 20, 'getObject');
  expect(meter.report()).toBe(false);
  meter.add('Errors', 1, 'getObject');
  meter.add('Throttles', 1, 'small');
  expect(meter.report()).toBe(true);
  const [line] = written();
  expect(line).toMatchObject({ Throttles: 1, Tier: 'small' });
  expect(line).not.toHaveProperty('Errors');
  expect(line).not.toHaveProperty('Route');
});

test('createMeter takes namespace and level of the environment', () => {
  const original = { ...process.env };
  const write = jest.spyOn(process.stdout, 'write').mockReturnValue(true);
  try {
    Object.assign(process.env, { METRICS_NAMESPACE: 'N', METRICS: 'all' });
    const meter = createMeter();
    meter.add('Latency', 1, 'getObject');
    expect(meter.report()).toBe(true);
    expect(write.mock.calls).toEqual([[expect.stringContaining('"Namespace":"N"')]]);
    process.env.METRICS = 'some';
    expect(() => createMeter()).toThrow('METRICS');
    delete process.env.METRICS_NAMESPACE;
    const silent = createMeter();
    silent.add('GapFills', 1);
    expect(silent.report()).toBe(false);
    expect(write).toHaveBeenCalledTimes(1);
  } finally {
    write.mockRestore();
    for (const name of Object.keys(process.env)) delete process.env[name];
    Object.assign(process.env, original);
  }
});
