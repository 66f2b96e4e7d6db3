/** The running service, and clients whose requests a test may answer, delay or cut. */
import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type Fetch, StowageClient } from '../../../client';
import { useTemporaryFolder } from '../../support/temporary-folder';
import { newDataFolder, type Running, startLocalService } from './local-service';

export const MIB = 1024 ** 2;
/** Of the service for the size of the content. */
export const PART = 8 * MIB;

export type Meddle = (address: URL, init: RequestInit, send: Fetch) => Promise<Response>;

export const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/** Starts the service with a bucket `photos` before the tests of a file. */
export function useTransfers() {
  const data = newDataFolder();
  const folder = useTemporaryFolder('transfer');
  /** Five parts, the last one shorter; three ranges. Also in the file `content`. */
  const content = randomBytes(4 * PART + 3 * MIB + 7);
  const file = (name: string) => path.join(folder, name);
  let service: Running;

  beforeAll(async () => {
    service = await startLocalService(data.folder);
    writeFileSync(file('content'), content);
    await clientOf().client.buckets.create('photos');
  }, 110_000);
  afterAll(async () => {
    await service.kill();
    data.remove();
  });

  /** `parts`: the numbers of those that S3 took. */
  function clientOf(meddle: Meddle = (_address, init, send) => send(_address.href, init)) {
    const parts: number[] = [];
    const fetch: Fetch = async (address, init) => {
      const url = new URL(address);
      const response = await meddle(url, init, globalThis.fetch);
      const number = url.searchParams.get('partNumber');
      if (number !== null && response.ok) parts.push(Number(number));
      return response;
    };
    const client = new StowageClient({ baseUrl: service.baseUrl, apiKey: service.apiKey, fetch });
    return { client, parts };
  }

  /** The digest of what an object contains. */
  async function stored(key: string): Promise<string> {
    const target = file(`stored-${key}`);
    await clientOf().client.download('photos', key, { path: target });
    return digest(readFileSync(target));
  }

  return { content, file, clientOf, stored };
}
