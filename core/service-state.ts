/** What the maintenance jobs save between their runs. */

/**
 * Where a long job of the janitor was stopped, so that the next run continues there. Also holds the
 * secret of the service's page tokens.
 */
export interface ServiceState {
  load(name: string): Promise<string | undefined>;
  save(name: string, value: string): Promise<void>;
  /** The value under that name. The first call sets it to `initial`; later calls return it. */
  once(name: string, initial: string): Promise<string>;
}
