import type { MetricsLevel } from '../../lambdas/runtime/telemetry/metrics';
import type { ConcurrencyOptions } from './concurrency';
import type { ServiceFunctionOptions } from './service-function';

/** Options of the functions. */
export interface FunctionsOptions extends ServiceFunctionOptions, ConcurrencyOptions {
  /**
   * Memory of the functions that serve requests (authorizer, api, download, channel, admin, site)
   * and of revocation, in MiB. It also decides their share of a processor.
   *
   * @default - 1024, and 512 for download
   */
  readonly requestMemorySize?: number;

  /**
   * Memory of the functions that work in the background (ingest, fanout, janitor, and targets with
   * `onChange`) and of changes, in which requests wait, in MiB.
   *
   * @default 512
   */
  readonly backgroundMemorySize?: number;
}

/** Which metrics the functions report, and under which namespace. */
export interface MetricsReporting {
  readonly namespace: string;
  /** Undefined when the functions report nothing. */
  readonly level: MetricsLevel | undefined;
}
