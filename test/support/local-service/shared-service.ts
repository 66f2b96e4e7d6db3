/**
 * The services that all test files of a Jest run share: one of `stowage serve`, and one in the
 * emulator of AWS. The process of Jest starts each when the first test file asks for it, and stops
 * it at the end of the run: service-owner.ts. A test file that stops, reconfigures or fills a
 * service starts its own: start-local-service.ts.
 */
import { randomUUID } from 'node:crypto';
import type { Running } from './start-local-service';

/** The environment variable with the address at which test files ask for the service. */
export const OWNER_VARIABLE = 'STOWAGE_TESTS_SERVICE_OWNER';

export interface SharedService extends Pick<Running, 'baseUrl'> {
  /** A key for everything, which only this caller has. */
  readonly apiKey: string;
  /** The data folder. */
  readonly data: string;
}

/** `served`: by `stowage serve`. `emulated`: the deployed template, in the emulator of AWS. */
export type Kind = 'served' | 'emulated';

/** Starts the shared service unless it runs, and creates an API key for the caller. */
export async function sharedService(kind: Kind = 'served'): Promise<SharedService> {
  const owner = process.env[OWNER_VARIABLE];
  if (owner === undefined) {
    throw new Error('no shared service: the configuration of Jest has no globalSetup');
  }
  const response = await fetch(`${owner}${kind}`, { method: 'POST' });
  if (!response.ok) throw new Error(await response.text());
  return (await response.json()) as SharedService;
}

/** Gives the tests of a file the emulated service. Only tests and hooks may call the result. */
export function useEmulatedService(): () => SharedService {
  return useSharedService('emulated');
}

/** Gives the tests of a file a shared service. Only tests and hooks may call the result. */
export function useSharedService(kind: Kind = 'served'): () => SharedService {
  let service: SharedService | undefined;
  beforeAll(async () => {
    service = await sharedService(kind);
  });
  return () => {
    if (service === undefined) throw new Error('the shared service has not started');
    return service;
  };
}

/** Returns a name, such as one of a bucket, that no other test uses. */
export function newName(purpose: string): string {
  return `${purpose}-${randomUUID().slice(0, 13)}`;
}
