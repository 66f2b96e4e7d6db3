/**
 * The functions alone: the bundled handlers in processes of their own, called as Lambda calls them,
 * while DynamoDB and S3 answer from the process of the local service. Only the processor time of
 * the function's process counts, so the figures show what a function costs, whatever answers it.
 */
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { DEFAULT_RATES } from '../../core/limits';
import { ENV } from '../../lambdas/runtime/env';
import type { HttpClient } from '../http-client';
import type { HandlersPlan } from '../plan';
import { Remote } from '../remote';
import { type Service, startService } from '../service';
import { median } from '../statistics';
import { bundleClient } from './bundles';
import type { FunctionProcess } from './function-process';
import { FUNCTION_ENVIRONMENT } from './load-time';
import {
  HANDLER_OPERATIONS,
  HANDLERS,
  type HandlerName,
  type HandlerOperation,
} from './operations';

/** One figure of each build. */
export interface Figures {
  /** Medians of the rounds. */
  readonly values: readonly number[];
  /** The last build's divided by each build's: medians of the rounds' ratios. */
  readonly ratios: readonly number[];
}

export interface HandlerFigures {
  /** Names of the builds. The last is this one. */
  readonly builds: readonly string[];
  readonly operations: readonly {
    readonly name: string;
    /** Milliseconds of processor time. */
    readonly time: Figures;
    /** Bytes. */
    readonly allocated: Figures;
  }[];
  readonly cold: readonly {
    readonly name: HandlerName;
    /** Milliseconds of processor time. */
    readonly load: Figures;
    readonly first: Figures;
  }[];
}

/** A checkout with its running service. */
interface Build {
  readonly name: string;
  readonly service: Service;
  /** What the authorizer adds to the events of the other functions. */
  readonly context: Readonly<Record<string, unknown>>;
  /** Starts a process of the function. `options` are those of Node.js. */
  start(handler: HandlerName, options?: readonly string[]): Remote<FunctionProcess>;
}

/** Makes room for what a round allocates, so that no garbage collection hides it. */
const ALLOCATION_OPTIONS = [
  '--expose-gc',
  '--min-semi-space-size=256',
  '--max-semi-space-size=256',
];

/** Objects in the bucket whose pages of objects and of changes have 100. */
const LISTED = 120;

/** Rounds of an operation's `count` before the first that is measured. */
const WARM_UP = 2;

/**
 * Measures the build in `roots[0]`, and those in the other folders: built checkouts, such as of an
 * older commit. Each has its own service, so that a function meets the tables that it knows.
 */
export async function measureHandlers(
  roots: readonly string[],
  plan: HandlersPlan,
  say: (text: string) => void,
): Promise<HandlerFigures> {
  const [own = '', ...others] = roots;
  const script = await bundleClient(own, 'functions/function-process');
  const client = await bundleClient(own, 'http-client');
  const builds: Build[] = [];
  try {
    for (const root of [...others, own]) builds.push(await open(root, { script, client }));
    const cold: HandlerFigures['cold'][number][] = [];
    for (const name of HANDLERS) cold.push({ name, ...(await measureCold(builds, name, plan)) });
    const operations: HandlerFigures['operations'][number][] = [];
    for (const operation of HANDLER_OPERATIONS) {
      const { time } = await measureWarm(builds, operation, plan);
      const { allocated } = await measureAllocated(builds, operation, plan);
      operations.push({ name: operation.name, time, allocated });
      say(`${operation.name}: ${time.values.map((ms) => ms.toFixed(2)).join(', ')} ms`);
    }
    return { builds: builds.map(({ name }) => name), operations, cold };
  } finally {
    for (const { service } of builds) await service.stop();
  }
}

/** Starts the service of a checkout and fills it. */
async function open(
  root: string,
  scripts: { readonly script: string; readonly client: string },
): Promise<Build> {
  const service = await startService(root);
  try {
    const http = new Remote<HttpClient>(scripts.client, service.clientEnv);
    await http.call('prepare', { listed: LISTED });
    await http.stop();
    const env = { ...FUNCTION_ENVIRONMENT, ...HANDLER_ENVIRONMENT, ...service.sdkEnv };
    const start: Build['start'] = (handler, options = []) => {
      const BUNDLE = path.join(root, 'dist/lambdas', handler, 'index.js');
      const { STOWAGE_KEY } = service.clientEnv;
      return new Remote(scripts.script, { ...env, STOWAGE_KEY, BUNDLE }, options);
    };
    const context = await using(start('authorizer'), (one) => one.call('authorize', undefined));
    return { name: commitOf(root), service, context, start };
  } catch (error) {
    await service.stop();
    throw error;
  }
}

/** Far above what one client can ask for. */
const HANDLER_ENVIRONMENT = {
  [ENV.rateTiers]: JSON.stringify({
    default: Object.fromEntries(
      Object.entries(DEFAULT_RATES).map(([name, rate]) => [
        name,
        { ...rate, rate: 1000 * rate.rate, burst: 1000 * rate.burst },
      ]),
    ),
  }),
  [ENV.responseMode]: 'stream',
  // The credentials of the developer have none.
  AWS_SESSION_TOKEN: undefined,
  // No folder, so that the SDK reads no configuration of the user, as in Lambda.
  HOME: '/home/sbx_user1051',
};

/** The name of a checkout's commit, or of its folder. */
function commitOf(root: string): string {
  const { stdout } = spawnSync('git', ['describe', '--always', '--dirty'], { cwd: root });
  return String(stdout ?? '').trim() || path.basename(root);
}

function measureCold(builds: readonly Build[], handler: HandlerName, { loads }: HandlersPlan) {
  const operation = HANDLER_OPERATIONS.find((one) => one.handler === handler);
  if (operation === undefined) throw new Error(`no operation of ${handler}`);
  return inTurns({ builds, names: ['load', 'first'], rounds: loads }, ({ context, start }) =>
    using(start(handler), (one) => one.call('cold', { operation, context })),
  );
}

/** Each build has one process for all rounds. */
async function measureWarm(
  builds: readonly Build[],
  operation: HandlerOperation,
  { rounds, share }: HandlersPlan,
) {
  const count = Math.ceil(operation.count * share);
  const processes = builds.map((build) => ({ build, one: build.start(operation.handler) }));
  const measure = async (build: Build, times: number) => {
    const { context } = build;
    const found = processes.find((candidate) => candidate.build === build);
    const round = { operation, context, count: times };
    return { time: (await found?.one.call('processorTime', round)) ?? Number.NaN };
  };
  try {
    for (const build of builds) await measure(build, count * WARM_UP);
    return await inTurns({ builds, names: ['time'], rounds }, (build) => measure(build, count));
  } finally {
    for (const { one } of processes) await one.stop();
  }
}

/** Each build has a process with room on its heap. */
function measureAllocated(
  builds: readonly Build[],
  operation: HandlerOperation,
  { share }: HandlersPlan,
) {
  return inTurns({ builds, names: ['allocated'], rounds: 1 }, ({ context, start }) =>
    using(start(operation.handler, ALLOCATION_OPTIONS), async (one) => {
      const round = { operation, context, count: Math.ceil(operation.count * share) };
      await one.call('processorTime', round);
      return { allocated: await one.call('allocated', round) };
    }),
  );
}

interface Turns<Name> {
  readonly builds: readonly Build[];
  /** Of the figures. */
  readonly names: readonly Name[];
  readonly rounds: number;
}

/** Measures each build in each round; every other round begins with the last build. */
async function inTurns<Name extends string>(
  { builds, names, rounds }: Turns<Name>,
  measure: (build: Build) => Promise<Readonly<Record<Name, number>>>,
): Promise<Readonly<Record<Name, Figures>>> {
  const samples: Readonly<Record<Name, number>>[][] = builds.map(() => []);
  for (let round = 0; round < rounds; round++) {
    const order = [...builds.entries()];
    for (const [n, build] of round % 2 === 0 ? order : order.reverse()) {
      samples[n]?.push(await measure(build));
    }
  }
  const figuresOf = (name: Name): Figures => {
    const columns = samples.map((column) => column.map((sample) => sample[name]));
    const last = columns.at(-1) ?? [];
    return {
      values: columns.map(median),
      ratios: columns.map((column) => median(column.map((one, n) => (last[n] ?? 0) / one))),
    };
  };
  return Object.fromEntries(names.map((name) => [name, figuresOf(name)])) as Readonly<
    Record<Name, Figures>
  >;
}

async function using<T>(
  remote: Remote<FunctionProcess>,
  use: (remote: Remote<FunctionProcess>) => Promise<T>,
): Promise<T> {
  try {
    return await use(remote);
  } finally {
    await remote.stop();
  }
}
