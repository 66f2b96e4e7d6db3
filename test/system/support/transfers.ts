/** The running service, and clients whose requests a test may answer, delay or cut. */
import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type Fetch, StowageClient } from '../../../client';
import { newName, useSharedService } from '../../support/local-service/shared-service';
import { useTemporaryFolder } from '../../support/temporary-folder';

export const MIB = 1024 ** 2;
/** Of the service for the size of the content. */
export const PART = 8 * MIB;

export type Meddle = (address: URL, init: RequestInit, send: Fetch) => Promise<Response>;

export const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/** Gives the tests of a file a bucket of the shared service. */
export function useTransfers() {
  const service = useSharedService();
  const bucket = newName('transfers');
  const folder = useTemporaryFolder('transfer');
  /** Five parts, the last one shorter; three ranges. Also in the file `content`. */
  const content = randomBytes(4 * PART + 3 * MIB + 7);
  const file = (name: string) => path.join(folder, name);

  beforeAll(async () => {
    writeFileSync(file('content'), content);
    await clientOf().client.buckets.create(bucket);
  });

  /** Returns a client, and the numbers of the parts that S3 received. */
  function clientOf(meddle: Meddle = (_address, init, send) => send(_address.href, init)) {
    const parts: number[] = [];
    const fetch: Fetch = async (address, init) => {
      const url = new URL(address);
      const response = await meddle(url, init, globalThis.fetch);
      const number = url.searchParams.get('partNumber');
      if (number !== null && response.ok) parts.push(Number(number));
      return response;
    };
    const { baseUrl, apiKey } = service();
    const client = new StowageClient({ baseUrl, apiKey, fetch });
    return { client, parts };
  }

  /** Returns the digest of the content of an object. */
  async function stored(key: string): Promise<string> {
    const target = file(`stored-${key}`);
    await clientOf().client.download(bucket, key, { path: target });
    return digest(readFileSync(target));
  }

  return { bucket, content, file, clientOf, stored };
}
