/** Formats the figures as Markdown. */
import type { ChannelFigures } from './channel';
import type { Comparison } from './comparison';
import { handlersReport } from './functions/report';
import type { Transfer } from './large-file';
import { machineText } from './machine';
import { table, wrap } from './markdown';
import type { MemorySample } from './memory';
import type { Results } from './results';
import { median, quantile } from './statistics';
import { compareWithTargets, type TargetResult } from './targets';

export function report(results: Results): string {
  const { machine } = results;
  return [
    wrap(
      `${machineText(results.date, machine)} ` +
        'The service, the DynamoDB engine and the load clients share these cores.',
    ),
    '### Targets',
    table(['Target', 'Measured', ''], compareWithTargets(results).map(targetRow)),
    '### Operations',
    wrap(
      'Milliseconds (median, 99th percentile) and requests a second. `ratio` is the median over ' +
        'HTTP divided by the median of the bare SDK calls, in brackets the smallest and the ' +
        'largest ratio of the rounds.',
    ),
    ...[1, 16].map((concurrency) =>
      operationTable(results.comparisons.filter((one) => one.concurrency === concurrency)),
    ),
    '### Functions',
    'Load time: median of `require` of the bundle in a new Node.js process, milliseconds.',
    functionTable(results),
    'The largest packages of each bundle (kB):',
    table(
      ['Function', 'Packages'],
      results.bundles.map(({ name, packages }) => [
        name,
        packages.map(([from, bytes]) => `${from} ${kilobytes(bytes)}`).join(', '),
      ]),
    ),
    '### The functions alone',
    handlersReport(results.handlers),
    '### Memory',
    wrap(
      'All processes of the service (Node.js with the functions in its threads, the DynamoDB ' +
        'engine, its watchdog), PSS, MB.',
    ),
    memoryTable(results),
    '### The channel',
    channelReport(results.channel),
    '### Listing a page of 100',
    'Counted at the SDK client that the code of the function `api` uses.',
    table(
      ['Objects in the bucket', 'Page', 'Calls', 'Items read', 'Read units'],
      results.pages.map((page) => [
        page.objects.toLocaleString('en'),
        page.page,
        page.calls,
        String(page.itemsRead),
        String(page.capacity),
      ]),
    ),
  ].join('\n\n');
}

function targetRow({ target, measured, met }: TargetResult): readonly string[] {
  return [target, measured, met ? 'met' : '**missed**'];
}

function operationTable(comparisons: readonly Comparison[]): string {
  const concurrency = comparisons[0]?.concurrency ?? 0;
  return table(
    [
      `${concurrency} at a time`,
      'HTTP p50 / p99',
      'HTTP req/s',
      'bare SDK p50 / p99',
      'bare SDK op/s',
      'ratio',
    ],
    comparisons.map(({ operation, size, service, bare, ratio, spread: [least, most] }) => [
      size === 0 ? operation : `${operation} ${sizeName(size)}`,
      `${service.p50.toFixed(2)} / ${service.p99.toFixed(1)}`,
      service.rate.toFixed(0),
      `${bare.p50.toFixed(2)} / ${bare.p99.toFixed(1)}`,
      bare.rate.toFixed(0),
      `**${ratio.toFixed(2)}** (${least.toFixed(2)}–${most.toFixed(2)})`,
    ]),
  );
}

function functionTable({ bundles, loads }: Results): string {
  return table(
    ['Function', 'Bundle kB', 'Load'],
    bundles.map(({ name, bytes }) => {
      const load = loads.find((one) => one.name === name);
      return [name, kilobytes(bytes), load?.milliseconds.toFixed(1) ?? ''];
    }),
  );
}

function memoryTable({ idle, peak, afterLoad, largeFile }: Results): string {
  const row = (when: string, sample: MemorySample) => [
    when,
    sample.total.toFixed(0),
    Object.entries(sample.byCommand)
      .map(([command, megabytes]) => `${command} ${megabytes.toFixed(0)}`)
      .join(', '),
  ];
  const size = `${(largeFile.bytes / 1e6).toFixed(0)} MB`;
  const transferRow = (how: string, { samples, seconds }: Transfer) => [
    `while ${size} are ${how} (${seconds.toFixed(1)} s)`,
    tenths(samples)
      .map((sample) => sample.total.toFixed(0))
      .join(' '),
    `maximum ${maximum(samples).toFixed(0)} of ${samples.length} samples`,
  ];
  return table(
    ['When', 'MB', ''],
    [
      row('started, no request yet', idle),
      row('largest under load', peak),
      row('after the load', afterLoad),
      row('before the large file', largeFile.before),
      transferRow('uploaded by a signed multipart URL', largeFile.upload),
      transferRow('downloaded by GET and 307', largeFile.download),
      row('after the large file', largeFile.after),
    ],
  );
}

export function channelReport(figures: ChannelFigures): string {
  return [
    wrap(
      'Milliseconds from the response to a PUT of 1 KiB until a follower has received the ' +
        'change. PUTs run one at a time and start at random moments.',
    ),
    lagTable(figures),
    wrap(
      'Changes a second of 16 concurrent writers without content, until every follower has ' +
        'received the last change. `ratio` is the rate divided by the rate of the same round ' +
        'without followers: median, smallest and largest round.',
    ),
    throughputTable(figures),
  ].join('\n\n');
}

function lagTable({ lag }: ChannelFigures): string {
  const row = (name: string, times: readonly number[]) => [
    name,
    `${median(times).toFixed(0)} / ${quantile(times, 0.99).toFixed(0)}`,
    bold(median(times) / median(lag.put)),
  ];
  return table(
    [`${lag.put.length} changes`, 'p50 / p99', 'p50 divided by that of the PUT'],
    [
      row('the PUT itself', lag.put),
      row('over the channel', lag.channel),
      row('by long polling', lag.poll),
    ],
  );
}

function throughputTable({ throughput }: ChannelFigures): string {
  return table(
    ['Followers', 'changes/s', 'ratio', 'changes/s received', 'changes in a message'],
    throughput.map(({ followers, rate, ratio, spread: [least, most], changesPerMessage }) => [
      String(followers),
      rate.toFixed(0),
      followers === 0 ? '' : `${bold(ratio)} (${least.toFixed(2)}–${most.toFixed(2)})`,
      (rate * followers).toFixed(0),
      followers === 0 ? '' : changesPerMessage.toFixed(0),
    ]),
  );
}

function maximum(samples: readonly MemorySample[]): number {
  return Math.max(...samples.map(({ total }) => total));
}

/** Returns at most ten samples, evenly spread. */
function tenths(samples: readonly MemorySample[]): readonly MemorySample[] {
  const step = Math.max(1, samples.length / 10);
  return Array.from(
    { length: Math.min(10, samples.length) },
    (_, n) => samples[Math.floor(n * step)],
  ).filter((sample) => sample !== undefined);
}

function sizeName(bytes: number): string {
  return bytes >= 1_048_576 ? `${bytes / 1_048_576} MiB` : `${bytes / 1024} KiB`;
}

function kilobytes(bytes: number): string {
  return (bytes / 1000).toFixed(0);
}

function bold(ratio: number | undefined): string {
  return ratio === undefined ? '' : `**${ratio.toFixed(2)}**`;
}
