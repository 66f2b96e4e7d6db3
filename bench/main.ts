/**
 * `npm run bench`: starts the service, compares it with the bare SDK, and writes the figures into
 * docs/performance.md.
 *
 *   --quick           sends a few requests of each kind, only to show that the bench runs
 *   --only PREFIX     measures only the operations whose name has this prefix; `channel` measures
 *                     the change channel alone, `handlers` the functions alone, `transfer` the
 *                     transfers of one large file beside those of the SDK, `served` the service in
 *                     one process, whose figures it writes into docs/performance.md
 *   --size MIB        with `--only transfer`: of the file, 1024 by default
 *   --compare FOLDER  with `--only handlers`: measures in turns the functions of another checkout,
 *                     built by `npm run synth`; may be repeated
 *   --profile FOLDER  writes a CPU profile of the service's main thread into this folder
 *
 * With any other of these options the document is not written.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type ChannelClients, type ChannelFigures, measureChannel } from './channel';
import { type Clients, type Comparison, compare } from './comparison';
import type { FollowClient } from './follow-client';
import { bundleClient, functionBundles } from './functions/bundles';
import { measureHandlers } from './functions/handlers';
import { loadTimes } from './functions/load-time';
import { handlersReport } from './functions/report';
import type { HttpClient } from './http-client';
import { transferLargeFile } from './large-file';
import { listingReads } from './listing-reads';
import { describeMachine, type Machine } from './machine';
import { sampleMemory, watchMemory } from './memory';
import { FULL, type Plan, QUICK } from './plan';
import { Remote } from './remote';
import { channelReport, report } from './report';
import type { Results } from './results';
import type { SdkClient } from './sdk-client';
import { measureServed } from './served';
import { type Service, startService } from './service';
import { nameOf } from './targets';
import { measureTransfers } from './transfer/measure';
import { transferReport } from './transfer/report';

const ROOT = path.join(__dirname, '..');
const DOCUMENT = path.join(ROOT, 'docs/performance.md');
const END = '<!-- end of figures -->';
/** The marks before the figures of each kind. */
const EMULATED = '<!-- figures: written by npm run bench -->';
const SERVED = '<!-- figures: written by npm run bench -- --only served -->';
/** Milliseconds between two samples while a load runs. */
const MEMORY_INTERVAL = 250;

type FromService = Pick<
  Results,
  'comparisons' | 'idle' | 'peak' | 'afterLoad' | 'largeFile' | 'channel' | 'pages'
>;

function readOptions() {
  return parseArgs({
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string', default: '' },
      compare: { type: 'string', multiple: true, default: [] },
      profile: { type: 'string' },
      size: { type: 'string', default: '1024' },
    },
  }).values;
}

type Options = ReturnType<typeof readOptions>;

async function main(): Promise<void> {
  const values = readOptions();
  const chosen = values.quick ? QUICK : FULL;
  const tasks = chosen.tasks.filter(({ operation }) => operation.startsWith(values.only));
  const plan = { ...chosen, tasks };
  const machine = describeMachine();
  if (machine.load > 1)
    say(`the machine is busy (load ${machine.load.toFixed(1)}): the figures will be worse`);
  if (values.only === 'handlers') {
    const roots = [ROOT, ...values.compare.map((folder) => path.resolve(folder))];
    console.log(handlersReport(await measureHandlers(roots, plan.handlers, say)));
    return;
  }
  if (values.only === 'served') {
    const about = { date: new Date().toISOString(), machine };
    const figures = await measureServed(ROOT, chosen, about, say);
    console.log(`\n${figures}`);
    if (!values.quick) writeFigures(figures, SERVED);
    return;
  }
  await measureEmulated(values, plan, machine);
}

async function measureEmulated(values: Options, plan: Plan, machine: Machine): Promise<void> {
  const profile = values.profile && [
    '--cpu-prof',
    `--cpu-prof-dir=${path.resolve(values.profile)}`,
  ];
  const service = await startService(ROOT, profile || []);
  const alone: Readonly<Record<string, () => Promise<string>>> = {
    channel: async () => channelReport(await measureChannelAlone(service, plan)),
    transfer: async () => {
      const transfers = { ...plan.transfers, bytes: Number(values.size) * 1024 ** 2 };
      return transferReport(await measureTransfers(ROOT, service, transfers, say));
    },
  };
  const measureAlone = alone[values.only];
  if (measureAlone) {
    try {
      console.log(await measureAlone());
    } finally {
      await service.stop();
    }
    return;
  }
  let measured: FromService;
  try {
    measured = await measureService(service, plan);
  } finally {
    await service.stop();
  }
  const bundles = functionBundles(ROOT);
  const loads = await loadTimes(bundles, plan.loads);
  say('measuring the functions alone');
  const handlers = await measureHandlers([ROOT], plan.handlers, say);
  const date = new Date().toISOString();
  const figures = report({ date, machine, bundles, loads, handlers, ...measured });
  console.log(`\n${figures}`);
  if (!values.quick && values.only === '' && values.profile === undefined)
    writeFigures(figures, EMULATED);
}

async function measureService(service: Service, plan: Plan): Promise<FromService> {
  const { pid, sdkEnv } = service;
  await delay(2000);
  const idle = sampleMemory(pid);
  return withClients(service, plan.listed, async (clients) => {
    const { http } = clients;
    const stopWatching = watchMemory(pid, MEMORY_INTERVAL);
    const comparisons = await compareAll(clients, plan);
    const memory = stopWatching();
    const afterLoad = sampleMemory(pid);
    const [peak = afterLoad] = [...memory].sort((a, b) => b.total - a.total);
    const largeFile = await transferLargeFile(http, pid, plan.largeFile);
    say('measuring the channel');
    const channel = await measureChannel(clients, plan.channel);
    Object.assign(process.env, sdkEnv);
    const tables = {
      buckets: sdkEnv.BUCKETS_TABLE ?? '',
      objects: sdkEnv.OBJECTS_TABLE ?? '',
      changes: sdkEnv.CHANGES_TABLE ?? '',
    };
    const create = (name: string) => http.call('createBucket', name);
    const pages = await listingReads(tables, plan.listings, create);
    return { comparisons, idle, peak, afterLoad, largeFile, channel, pages };
  });
}

function measureChannelAlone(service: Service, { channel }: Plan): Promise<ChannelFigures> {
  return withClients(service, 0, (clients) => measureChannel(clients, channel));
}

/** `listed`: the number of objects in the listed bucket. */
async function withClients<T>(
  { clientEnv, sdkEnv }: Service,
  listed: number,
  measure: (clients: ChannelClients) => Promise<T>,
): Promise<T> {
  const http = new Remote<HttpClient>(await bundleClient(ROOT, 'http-client'), clientEnv);
  const sdk = new Remote<SdkClient>(await bundleClient(ROOT, 'sdk-client'), sdkEnv);
  const follow = new Remote<FollowClient>(await bundleClient(ROOT, 'follow-client'), clientEnv);
  try {
    await http.call('prepare', { listed });
    await sdk.call('prepare', undefined);
    return await measure({ http, sdk, follow });
  } finally {
    await Promise.all([http, sdk, follow].map((client) => client.stop()));
  }
}

async function compareAll(clients: Clients, { tasks, rounds }: Plan): Promise<Comparison[]> {
  const comparisons: Comparison[] = [];
  for (const task of tasks) {
    const comparison = await compare(clients, task, rounds);
    comparisons.push(comparison);
    const { concurrency, service, bare, ratio } = comparison;
    say(
      `${nameOf(comparison)}, ${concurrency} at a time: p50 ${service.p50.toFixed(2)} ms, ` +
        `bare SDK ${bare.p50.toFixed(2)} ms, ratio ${ratio.toFixed(2)}; ` +
        `p99 ${service.p99.toFixed(1)} ms; ` +
        `${service.rate.toFixed(0)}/s, bare SDK ${bare.rate.toFixed(0)}/s`,
    );
  }
  return comparisons;
}

/** Replaces only the text between the marks: the rest of the page explains the figures. */
function writeFigures(figures: string, begin: string): void {
  const page = readFileSync(DOCUMENT, 'utf8');
  const from = page.indexOf(begin);
  const to = page.indexOf(END, from);
  if (from < 0 || to < 0) throw new Error(`${DOCUMENT} has no marks ${begin} and ${END}`);
  const before = page.slice(0, from);
  writeFileSync(DOCUMENT, `${before}${begin}\n\n${figures}\n\n${page.slice(to)}`);
  say(`written to ${path.relative(ROOT, DOCUMENT)}`);
}

function say(text: string): void {
  process.stderr.write(`bench: ${text}\n`);
}

main().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
