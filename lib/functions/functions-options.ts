import type { ServiceFunctionOptions } from './service-function';

/** What a deployer may decide about the functions. */
export interface FunctionsOptions extends ServiceFunctionOptions {
  /**
   * Memory of the functions that answer requests (authorizer, api, download, sync, admin, site), in
   * MiB. It also decides their share of a processor.
   *
   * @default 1024
   */
  readonly requestMemorySize?: number;

  /**
   * Memory of the functions that work in the background (ingest, fanout, revocation, janitor), in
   * MiB.
   *
   * @default 512
   */
  readonly backgroundMemorySize?: number;
}
