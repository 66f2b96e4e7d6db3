/**
 * The subjects of the Blobs and PartCopies contracts: the fakes, and the adapters on each available
 * S3 server.
 */
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { CreateBucketCommand, PutBucketVersioningCommand } from '@aws-sdk/client-s3';
import { Agent, request } from 'undici';
import { FileBlobs, FilePartCopies } from '../../../adapters/files/blobs';
import { ContentFolder } from '../../../adapters/files/content-folder';
import { answerContent } from '../../../adapters/files/content-requests';
import { ContentSigner } from '../../../adapters/files/signer';
import { S3Blobs } from '../../../adapters/s3/blobs';
import { S3PartCopies } from '../../../adapters/s3/part-copies';
import { Database } from '../../../adapters/sqlite/database';
import { systemIds } from '../../../adapters/system';
import type { Blobs, PresignedRequest } from '../../../core/store/blobs';
import type { PartCopies } from '../../../core/store/copies';
import { allowAll } from '../../../emulator/src/iam/allow-all';
import { startS3 } from '../../../emulator/src/services/s3/s3';
import { createS3Client } from '../../../lambdas/runtime/aws-clients';
import { FakeClock } from '../../support/fakes/clock';
import { createFakes } from '../../support/fakes/fakes';
import { temporaryFolder } from '../../support/temporary-folder';

export interface BlobResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export interface BlobSubject {
  readonly blobs: Blobs;
  readonly partCopies: PartCopies;
  /** Milliseconds since the epoch, as the signer sees them. */
  now(): number;
  /** Lets time pass: a second of a virtual clock, a tenth of a real one. */
  tick(): Promise<void>;
  /** Sends a presigned request as a client, with exactly these headers and the body's length. */
  send(
    method: 'GET' | 'PUT' | 'POST' | 'DELETE',
    to: Pick<PresignedRequest, 'url' | 'headers'>,
    body?: string | Uint8Array,
  ): Promise<BlobResponse>;
  close(): Promise<void>;
}

export type OpenBlobs = () => Promise<BlobSubject>;

const { S3_CONTRACT_ENDPOINT } = process.env;

/** [name, open] of each. */
export const blobSubjects: readonly (readonly [string, OpenBlobs])[] = [
  ['fake', openFake],
  ['adapter on files', () => openFiles(temporaryFolder('blobs'))],
  ['adapter in memory', () => openFiles()],
  ['adapter on the local S3', openLocal],
  ...(S3_CONTRACT_ENDPOINT
    ? [['adapter on S3_CONTRACT_ENDPOINT', () => openEndpoint(S3_CONTRACT_ENDPOINT)] as const]
    : []),
];

/** Whether the server knows If-None-Match of CopyObject, as S3 does. */
export function hasConditionalCopies(subject: string): boolean {
  const { S3_CONTRACT_CAPABILITIES = '' } = process.env;
  return !subject.endsWith('S3_CONTRACT_ENDPOINT') || S3_CONTRACT_CAPABILITIES.includes('copies');
}

/** Whether the server refuses `x-amz-*` headers that nobody has signed, as S3 does. */
export function checksSignedHeaders(subject: string): boolean {
  const { S3_CONTRACT_CAPABILITIES = '' } = process.env;
  return (
    !subject.endsWith('S3_CONTRACT_ENDPOINT') || S3_CONTRACT_CAPABILITIES.includes('authentication')
  );
}

async function openFake(): Promise<BlobSubject> {
  const { blobs, partCopies, clock, s3 } = createFakes();
  return {
    blobs,
    partCopies,
    now: () => clock.now(),
    tick: async () => clock.advance(1000),
    send: (method, { url, headers }, body = '') => {
      const { 'content-length': _, ...others } = headers;
      return s3.request(method, url, others, Buffer.from(body));
    },
    close: async () => {},
  };
}

async function openFiles(data?: ReturnType<typeof temporaryFolder>): Promise<BlobSubject> {
  const clock = new FakeClock();
  const ids = systemIds;
  const database = new Database({ file: data && path.join(data.folder, 'stowage.db') });
  const folder = await ContentFolder.open(data && path.join(data.folder, 'content'), ids);
  const signer = new ContentSigner('secret', 'http://content.test', clock);
  const blobs = new FileBlobs({ database, folder, signer, clock, ids });
  return {
    blobs,
    partCopies: new FilePartCopies(blobs, folder),
    now: () => clock.now(),
    tick: async () => clock.advance(1000),
    send: async (method, { url, headers }, content = '') => {
      const bytes = Buffer.from(content);
      const response = await answerContent(
        { blobs, folder, signer, clock },
        {
          method,
          signed: new URL(url).searchParams.get('signed') ?? '',
          headers: { ...headers, 'content-length': String(bytes.length) },
          body: Readable.from([bytes], { objectMode: false }),
        },
      );
      const { status, body = '' } = response;
      const received = typeof body === 'string' ? Buffer.from(body) : await buffer(body);
      return { status, headers: response.headers, body: received };
    },
    close: async () => {
      database.close();
      data?.remove();
    },
  };
}

async function openLocal(): Promise<BlobSubject> {
  const data = temporaryFolder('blobs');
  const iam = allowAll();
  const server = await startS3({
    buckets: [{ name: 'content' }],
    dataDir: data.folder,
    iam,
    region: 'us-east-1',
    port: 0,
    emit: () => {},
  });
  const { accessKeyId, secretAccessKey } = iam.root;
  return openServer({
    endpoint: server.endpoint,
    bucket: 'content',
    keys: { accessKeyId, secretAccessKey },
    stop: async () => {
      await server.stop();
      data.remove();
    },
  });
}

async function openEndpoint(endpoint: string): Promise<BlobSubject> {
  const keys = {
    accessKeyId: process.env.S3_CONTRACT_ACCESS_KEY ?? '',
    secretAccessKey: process.env.S3_CONTRACT_SECRET_KEY ?? '',
  };
  const bucket = `blobs-${randomBytes(6).toString('hex')}`;
  return openServer({ endpoint, bucket, keys, create: true });
}

interface S3Server {
  readonly endpoint: string;
  readonly bucket: string;
  readonly keys: { readonly accessKeyId: string; readonly secretAccessKey: string };
  /** Creates the bucket first. */
  readonly create?: boolean;
  stop?(): Promise<void>;
}

/** Connects as the functions do: with what is in the environment. */
async function openServer(server: S3Server): Promise<BlobSubject> {
  const { endpoint, bucket, keys, create = false } = server;
  Object.assign(process.env, {
    AWS_ENDPOINT_URL_S3: endpoint,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: keys.accessKeyId,
    AWS_SECRET_ACCESS_KEY: keys.secretAccessKey,
  });
  const client = createS3Client();
  if (create) await client.send(new CreateBucketCommand({ Bucket: bucket }));
  // The bucket that a stack creates is versioned.
  if (create && process.env.S3_CONTRACT_VERSIONED === '1') {
    const VersioningConfiguration = { Status: 'Enabled' } as const;
    await client.send(new PutBucketVersioningCommand({ Bucket: bucket, VersioningConfiguration }));
  }
  const dispatcher = new Agent();
  return {
    blobs: new S3Blobs(client, bucket),
    partCopies: new S3PartCopies(client, bucket),
    now: () => Date.now(),
    tick: () => new Promise((resolve) => setTimeout(resolve, 100)),
    send: async (method, { url, headers }, body) => {
      const { 'content-length': _, ...others } = headers;
      const response = await request(url, { method, headers: others, body, dispatcher });
      const values = Object.entries(response.headers).map(([name, value]) => [name, String(value)]);
      return {
        status: response.statusCode,
        headers: Object.fromEntries(values),
        body: Buffer.from(await response.body.arrayBuffer()),
      };
    },
    close: async () => {
      client.destroy();
      await dispatcher.close();
      await server.stop?.();
    },
  };
}
