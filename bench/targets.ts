/** The performance targets, compared with the measured figures. */
import type { Comparison } from './comparison';
import { HANDLERS } from './functions/operations';
import type { Results } from './results';
import type { OperationName } from './task';

export interface TargetResult {
  readonly target: string;
  readonly measured: string;
  readonly met: boolean;
}

const KIB = 1024;

export function compareWithTargets(results: Results): readonly TargetResult[] {
  const { comparisons, loads, largeFile } = results;
  const single = comparisons.filter(({ concurrency }) => concurrency === 1);
  const find = (operation: OperationName, size: number, concurrency: number) =>
    comparisons.find(
      (one) => one.operation === operation && one.size === size && one.concurrency === concurrency,
    );
  const slowest = worst(single, ({ ratio }) => ratio);
  const ofRequests = loads.filter(({ name }) => HANDLERS.some((handler) => handler === name));
  const load = worst(ofRequests, ({ milliseconds }) => milliseconds);
  const totals = (samples: readonly { readonly total: number }[]) =>
    Math.max(...samples.map(({ total }) => total));
  const { upload, download } = largeFile;
  const duringTransfer = totals([...upload.samples, ...download.samples]);
  const most = Math.max(totals([results.peak, results.afterLoad]), duringTransfer);
  const growth = duringTransfer - largeFile.before.total;
  const megabytes = largeFile.bytes / 1e6;
  const costs = new Set(
    results.pages.map(({ page, calls, itemsRead }) => `${page} ${calls} ${itemsRead}`),
  );
  const pages = new Set(results.pages.map(({ page }) => page));
  return [
    atMost('1 at a time: an operation takes at most 1.6 times its bare SDK calls', slowest?.ratio, {
      limit: 1.6,
      unit: `times (${slowest && nameOf(slowest)})`,
    }),
    atMost(
      '1 at a time: 99th percentile of GET 1 KiB at most 10 ms',
      find('GET', KIB, 1)?.service.p99,
      {
        limit: 10,
        unit: 'ms',
      },
    ),
    atLeast('16 at a time: at least 600 PUT/s of 1 KiB', find('PUT', KIB, 16)?.service.rate, 600),
    atLeast(
      '16 at a time: at least 1,000 GET/s of 1 KiB',
      find('GET', KIB, 16)?.service.rate,
      1000,
    ),
    atMost('a function that answers requests loads in at most 35 ms', load?.milliseconds, {
      limit: 35,
      unit: `ms (${load?.name})`,
    }),
    atMost('the whole local service stays under 300 MB', most, { limit: 300, unit: 'MB' }),
    {
      target: 'memory stays flat while a large file is uploaded and downloaded',
      measured:
        `${growth.toFixed(0)} MB above the level before, ` +
        `for ${megabytes.toFixed(0)} MB each way`,
      met: growth < megabytes / 4,
    },
    {
      target: 'listing a page takes the same reads in a small and in a large bucket',
      measured: costs.size === pages.size ? 'the same calls and items' : 'different, see below',
      met: costs.size === pages.size,
    },
  ];
}

export function nameOf({ operation, size }: Pick<Comparison, 'operation' | 'size'>): string {
  return size === 0 ? operation : `${operation} ${size / KIB} KiB`;
}

function worst<T>(values: readonly T[], of: (value: T) => number): T | undefined {
  return [...values].sort((a, b) => of(b) - of(a))[0];
}

function atMost(
  target: string,
  value = Number.NaN,
  { limit, unit }: { readonly limit: number; readonly unit: string },
): TargetResult {
  return { target, measured: `${value.toFixed(value < 100 ? 2 : 0)} ${unit}`, met: value <= limit };
}

function atLeast(target: string, value = Number.NaN, limit = 0): TargetResult {
  return { target, measured: `${value.toFixed(0)} /s`, met: value >= limit };
}
