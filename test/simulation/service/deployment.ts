/** The settings of the simulated deployment. */
import { DEFAULT_RATES, type TierRates } from '../../../core/limits';
import type { Ports } from './environment';

/** Of the change log: the least that a deployment may set, so that runs trim. */
export const RETENTION_SECONDS = 3_600;

/** High enough that a rate limit decides nothing; the limiter itself runs. */
export const UNLIMITED: TierRates = {
  ...DEFAULT_RATES,
  read: { rate: 10_000, burst: 10_000 },
  write: { rate: 10_000, burst: 10_000 },
  list: { rate: 10_000, burst: 10_000 },
  wait: { rate: 1_000, burst: 1_000, concurrent: 100 },
  connect: { rate: 1_000, burst: 1_000, concurrent: 1_000 },
};

/** What functions need: ports, and settings of the deployment. */
export function depsIn(ports: Ports, rates: TierRates) {
  return {
    ...ports,
    rateTiers: { default: rates },
    backoff: (attempt: number) =>
      ports.clock.sleep(Math.random() * Math.min(400, 20 * 2 ** attempt)),
    retentionSeconds: RETENTION_SECONDS,
    responseMode: 'buffered' as const,
    allowedOrigins: ['*'],
    maxWaiting: 100,
  };
}

export type DepsOf = (ports: Ports) => ReturnType<typeof depsIn>;
