/** The time in which a new Node.js process loads a function, and its SDK clients alone. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { DEFAULT_RATES } from '../../core/limits';
import { ENV } from '../../lambdas/shared/env';
import { median } from '../statistics';
import type { FunctionBundle } from './bundles';

export interface LoadTime {
  readonly name: string;
  /** Milliseconds of `require`: median. */
  readonly function: number;
  /** The same for the SDK clients alone. */
  readonly sdk: number;
  /** Median of the pairs' ratios. */
  readonly ratio: number;
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
  AWS_REGION: 'us-east-1',
  AWS_ACCESS_KEY_ID: 'id',
  AWS_SECRET_ACCESS_KEY: 'secret',
  AWS_SESSION_TOKEN: 'token',
  AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
};

const LOADER =
  'const started = performance.now(); require(process.argv[1]); ' +
  'console.log(performance.now() - started);';

/** Starts one process at a time. The function and its SDK clients come first alternately. */
export async function loadTimes(
  bundles: readonly FunctionBundle[],
  rounds: number,
): Promise<readonly LoadTime[]> {
  const pairs = new Map(bundles.map(({ name }) => [name, [] as (readonly [number, number])[]]));
  for (let round = 0; round < rounds; round++) {
    for (const { name, file, sdkFile } of bundles) {
      const functionFirst = round % 2 === 0;
      const first = await load(functionFirst ? file : sdkFile);
      const second = await load(functionFirst ? sdkFile : file);
      pairs.get(name)?.push(functionFirst ? [first, second] : [second, first]);
    }
  }
  return [...pairs].map(([name, times]) => ({
    name,
    function: median(times.map(([own]) => own)),
    sdk: median(times.map(([, sdk]) => sdk)),
    ratio: median(times.map(([own, sdk]) => own / sdk)),
  }));
}

async function load(file: string): Promise<number> {
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', LOADER, file], {
    env: FUNCTION_ENVIRONMENT,
    timeout: 30_000,
  });
  return Number(stdout);
}
