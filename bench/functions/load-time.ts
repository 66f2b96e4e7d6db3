/** The time in which a new Node.js process loads a function. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { DEFAULT_RATES } from '../../core/limits';
import { ENV } from '../../lambdas/runtime/env';
import { median } from '../statistics';
import type { FunctionBundle } from './bundles';

export interface LoadTime {
  readonly name: string;
  /** Of `require`: median. */
  readonly milliseconds: number;
}

/** Environment of a function. Only the values that are parsed at the start need to be valid. */
export const FUNCTION_ENVIRONMENT = {
  ...Object.fromEntries(Object.values(ENV).map((name) => [name, 'https://example.com/'])),
  [ENV.rateTiers]: JSON.stringify({ default: DEFAULT_RATES }),
  [ENV.responseMode]: 'buffered',
  [ENV.metrics]: 'all',
  [ENV.maxWaiting]: '50',
  [ENV.retentionSeconds]: '604800',
  [ENV.allowedOrigins]: '[]',
  [ENV.siteConnectsTo]: '[]',
  [ENV.siteShows]: '[]',
  [ENV.originSecrets]: '[]',
  [ENV.changeTargets]: '[]',
  [ENV.grants]: '{}',
  AWS_REGION: 'us-east-1',
  AWS_ACCESS_KEY_ID: 'id',
  AWS_SECRET_ACCESS_KEY: 'secret',
  AWS_SESSION_TOKEN: 'token',
  AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
};

const LOADER =
  'const started = performance.now(); require(process.argv[1]); ' +
  'console.log(performance.now() - started);';

/** Starts one process at a time, of each function in turn. */
export async function loadTimes(
  bundles: readonly FunctionBundle[],
  rounds: number,
): Promise<readonly LoadTime[]> {
  const times = new Map(bundles.map(({ name }) => [name, [] as number[]]));
  for (let round = 0; round < rounds; round++) {
    for (const { name, file } of bundles) times.get(name)?.push(await load(file));
  }
  return [...times].map(([name, all]) => ({ name, milliseconds: median(all) }));
}

async function load(file: string): Promise<number> {
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', LOADER, file], {
    env: FUNCTION_ENVIRONMENT,
    timeout: 30_000,
  });
  return Number(stdout);
}
