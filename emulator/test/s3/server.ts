import { S3 } from '@aws-sdk/client-s3';
import { allowAll } from '../../src/iam/allow-all';
import type { Iam } from '../../src/iam/iam';
import { type S3ObjectEvent, type S3Options, startS3 } from '../../src/services/s3/s3';
import { afterTest, useFolder } from '../support/clean-up';

export const BUCKET = 'photos';
export const REGION = 'us-east-1';

export interface TestServer {
  readonly endpoint: string;
  readonly dataDir: string;
  readonly iam: Iam;
  readonly s3: S3;
  readonly events: S3ObjectEvent[];
  /** Errors that the server reported. Tests expect no errors. */
  readonly errors: unknown[];
  /** Stops the server and starts another one with the same folder. */
  restart(): Promise<TestServer>;
  stop(): Promise<void>;
}

/** Starts a server that has one bucket. The server is stopped after the test. */
export async function openServer(options: Partial<S3Options> = {}): Promise<TestServer> {
  const dataDir = options.dataDir ?? useFolder();
  const iam = options.iam ?? allowAll();
  const events: S3ObjectEvent[] = [];
  const errors: unknown[] = [];
  const server = await startS3({
    buckets: [{ name: BUCKET }],
    region: REGION,
    port: 0,
    emit: (event) => void events.push(event),
    report: (error) => void errors.push(error),
    ...options,
    dataDir,
    iam,
  });
  const { endpoint } = server;
  const client = { endpoint, region: REGION, forcePathStyle: true, maxAttempts: 1 };
  const s3 = new S3({ ...client, credentials: iam.root });
  const stop = async (): Promise<void> => {
    s3.destroy();
    await server.stop();
  };
  afterTest(stop);
  const restart = async (): Promise<TestServer> => {
    await stop();
    return openServer({ ...options, dataDir, iam });
  };
  return { endpoint, dataDir, iam, s3, events, errors, restart, stop };
}
