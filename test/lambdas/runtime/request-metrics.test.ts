import { measure, withMetrics } from '../../../lambdas/runtime/request-metrics';
import { FakeMeter } from '../../support/fakes/fake-meter';
import { incomingRequest } from '../../support/requests';

describe('the metrics of a request', () => {
  class ReportingMeter extends FakeMeter {
    readonly reports: unknown[] = [];
    override report(about?: object): boolean {
      this.reports.push(about);
      return true;
    }
  }

  test.each([
    [200, []],
    [399, []],
    [400, ['Refusals']],
    [499, ['Refusals']],
    [500, ['Errors']],
    [503, ['Errors']],
  ])('with the status %i count %j', (status, counted) => {
    const meter = new ReportingMeter();
    measure(meter, 'getObject', { status, milliseconds: 12.3456 });
    expect(meter.counted).toEqual([
      { metric: 'Latency', amount: 12.35, of: 'getObject' },
      ...counted.map((metric) => ({ metric, amount: 1, of: 'getObject' })),
    ]);
  });

  test('have its route, and are reported once with its key and status', async () => {
    const meter = new ReportingMeter();
    const app = withMetrics(meter, async () => ({ status: 404, headers: {} }));
    const began = performance.now();
    const response = await app(incomingRequest({ path: '/buckets', keyId: 'k' }));
    const elapsed = performance.now() - began;
    expect(response.status).toBe(404);
    expect(meter.reports).toEqual([{ requestId: 'request-1', keyId: 'k', status: 404 }]);
    expect(meter.counted).toEqual([
      { metric: 'Latency', amount: expect.any(Number), of: 'listBuckets' },
      { metric: 'Refusals', amount: 1, of: 'listBuckets' },
    ]);
    expect(meter.sum('Latency')).toBeLessThanOrEqual(elapsed + 0.01);
  });

  test('name no key when the request has no claim', async () => {
    const meter = new ReportingMeter();
    const app = withMetrics(meter, async () => ({ status: 200, headers: {} }));
    const { claim: _, ...request } = incomingRequest({ path: '/buckets' });
    await app(request);
    expect(meter.reports).toEqual([{ requestId: 'request-1', keyId: undefined, status: 200 }]);
  });
});
