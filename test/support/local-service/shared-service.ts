/**
 * The local service that all test files of a Jest run share. The process of Jest starts it when the
 * first test file asks for it, and stops it at the end of the run: service-owner.ts. A test file
 * that stops, reconfigures or fills the service starts its own: start-local-service.ts.
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

/** Starts the shared service unless it runs, and creates an API key for the caller. */
export async function sharedService(): Promise<SharedService> {
  const owner = process.env[OWNER_VARIABLE];
  if (owner === undefined) {
    throw new Error('no shared service: the configuration of Jest has no globalSetup');
  }
  const response = await fetch(owner, { method: 'POST' });
  if (!response.ok) throw new Error(await response.text());
  return (await response.json()) as SharedService;
}

/** Gives the tests of a file the shared service. Only tests and hooks may call the result. */
export function useSharedService(): () => SharedService {
  let service: SharedService | undefined;
  beforeAll(async () => {
    service = await sharedService();
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
