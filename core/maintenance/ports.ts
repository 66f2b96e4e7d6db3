/** What the maintenance jobs remember between their runs. */

/**
 * Where a long walk of the janitor left off, so that the next run goes on there. Also the service's
 * own secret.
 */
export interface ServiceState {
  load(name: string): Promise<string | undefined>;
  save(name: string, value: string): Promise<void>;
  /** The value under that name; the first caller's `initial` stays for ever. */
  once(name: string, initial: string): Promise<string>;
}
