/**
 * Runs the contract on the emulated S3 and, with S3_CONTRACT_ENDPOINT, S3_CONTRACT_ACCESS_KEY and
 * S3_CONTRACT_SECRET_KEY, on that server too. S3_CONTRACT_CAPABILITIES: the capabilities that this
 * server fulfils, separated by commas; all by default.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { S3 } from '@aws-sdk/client-s3';
import { allowAll } from '../../src/iam/allow-all';
import { startS3 } from '../../src/services/s3/s3';
import { type Capability, s3Contract } from './s3-contract';

s3Contract('local', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'emulator-s3-'));
  const iam = allowAll();
  const server = await startS3({
    buckets: [{ name: 'contract' }],
    dataDir,
    iam,
    region: 'us-east-1',
    port: 0,
    emit: () => {},
  });
  return {
    client: {
      endpoint: server.endpoint,
      region: 'us-east-1',
      credentials: iam.root,
      forcePathStyle: true,
    },
    bucket: 'contract',
    close: async () => {
      await server.stop();
      rmSync(dataDir, { recursive: true });
    },
  };
});

const endpoint = process.env.S3_CONTRACT_ENDPOINT;
if (endpoint !== undefined) {
  const capabilities = process.env.S3_CONTRACT_CAPABILITIES?.split(',') as Capability[] | undefined;
  s3Contract(
    endpoint,
    async () => {
      const client = {
        endpoint,
        region: process.env.S3_CONTRACT_REGION ?? 'us-east-1',
        credentials: {
          accessKeyId: process.env.S3_CONTRACT_ACCESS_KEY ?? '',
          secretAccessKey: process.env.S3_CONTRACT_SECRET_KEY ?? '',
        },
        forcePathStyle: true,
      };
      const bucket = `contract-${Date.now().toString(36)}`;
      const s3 = new S3(client);
      await s3.createBucket({ Bucket: bucket });
      s3.destroy();
      return { client, bucket, close: async () => {} };
    },
    { capabilities },
  );
}
