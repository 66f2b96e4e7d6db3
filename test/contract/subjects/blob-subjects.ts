/** What the Blobs contract runs on: the fake, and the adapter on every S3 server there is. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CreateBucketCommand } from '@aws-sdk/client-s3';
import { Agent, request } from 'undici';
import type { Blobs, PresignedRequest } from '../../../core/objects/blob-ports';
import { allowAll } from '../../../emulator/src/iam/allow-all';
import { startS3 } from '../../../emulator/src/services/s3/s3';
import { createS3Client } from '../../../lambdas/shared/aws-clients';
import { S3Blobs } from '../../../lambdas/shared/s3/blobs';
import { createFakes } from '../../support/fakes/fakes';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export interface BlobSubject {
  readonly blobs: Blobs;
  /** Milliseconds since the epoch, as the signer sees them. */
  now(): number;
  /** Lets a second go by. */
  tick(): Promise<void>;
  /**
   * Does what the client of a presigned URL does, with exactly these headers and the length of the
   * body.
   */
  send(
    method: 'GET' | 'PUT' | 'POST' | 'DELETE',
    to: Pick<PresignedRequest, 'url' | 'headers'>,
    body?: string | Uint8Array,
  ): Promise<Answer>;
  close(): Promise<void>;
}

// The engines share the machine with whatever else is tested at the time.
jest.setTimeout(30_000);

export type OpenBlobs = () => Promise<BlobSubject>;

const { S3_CONTRACT_ENDPOINT } = process.env;

/** [name, open] of each. */
export const blobSubjects: readonly (readonly [string, OpenBlobs])[] = [
  ['fake', openFake],
  ['adapter on the local S3', openLocal],
  ...(S3_CONTRACT_ENDPOINT
    ? [['adapter on S3_CONTRACT_ENDPOINT', () => openEndpoint(S3_CONTRACT_ENDPOINT)] as const]
    : []),
];

async function openFake(): Promise<BlobSubject> {
  const { blobs, clock, s3 } = createFakes();
  return {
    blobs,
    now: () => clock.now(),
    tick: async () => clock.advance(1000),
    send: (method, { url, headers }, body = '') => {
      const { 'content-length': _, ...others } = headers;
      return s3.request(method, url, others, Buffer.from(body));
    },
    close: async () => {},
  };
}

async function openLocal(): Promise<BlobSubject> {
  const dataDir = mkdtempSync(join(tmpdir(), 'stowage-blobs-'));
  const iam = allowAll();
  const server = await startS3({
    buckets: [{ name: 'content' }],
    dataDir,
    iam,
    region: 'us-east-1',
    port: 0,
    emit: () => {},
  });
  const { accessKeyId, secretAccessKey } = iam.root;
  return openServer(server.endpoint, 'content', { accessKeyId, secretAccessKey }, async () => {
    await server.stop();
    rmSync(dataDir, { recursive: true });
  });
}

async function openEndpoint(endpoint: string): Promise<BlobSubject> {
  const keys = {
    accessKeyId: process.env.S3_CONTRACT_ACCESS_KEY ?? '',
    secretAccessKey: process.env.S3_CONTRACT_SECRET_KEY ?? '',
  };
  const bucket = `blobs-${randomBytes(6).toString('hex')}`;
  return openServer(endpoint, bucket, keys, async () => {}, true);
}

/** The client is the functions' own, which finds its server in the environment. */
async function openServer(
  endpoint: string,
  bucket: string,
  keys: { readonly accessKeyId: string; readonly secretAccessKey: string },
  stop: () => Promise<void>,
  create = false,
): Promise<BlobSubject> {
  Object.assign(process.env, {
    AWS_ENDPOINT_URL_S3: endpoint,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: keys.accessKeyId,
    AWS_SECRET_ACCESS_KEY: keys.secretAccessKey,
  });
  const client = createS3Client();
  if (create) await client.send(new CreateBucketCommand({ Bucket: bucket }));
  const dispatcher = new Agent();
  return {
    blobs: new S3Blobs(client, bucket),
    now: () => Date.now(),
    tick: () => new Promise((resolve) => setTimeout(resolve, 100)),
    send: async (method, { url, headers }, body) => {
      const { 'content-length': _, ...others } = headers;
      const answer = await request(url, { method, headers: others, body, dispatcher });
      const values = Object.entries(answer.headers).map(([name, value]) => [name, String(value)]);
      return {
        status: answer.statusCode,
        headers: Object.fromEntries(values),
        body: Buffer.from(await answer.body.arrayBuffer()),
      };
    },
    close: async () => {
      client.destroy();
      await dispatcher.close();
      await stop();
    },
  };
}
