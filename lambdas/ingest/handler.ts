/** The ingest function: commits the signed uploads that S3 reports. */
import { S3Blobs } from '../../adapters/s3/blobs';
import { jitteredBackoff, systemClock, systemIds } from '../../adapters/system';
import { createDynamoClient, createS3Client } from '../runtime/aws-clients';
import {
  apiKeys,
  buckets,
  changeLog,
  commits,
  objects,
  openStores,
  uploads,
} from '../runtime/stores';
import { createMeter, reporting } from '../runtime/telemetry/emf-meter';
import { log } from '../runtime/telemetry/log';
import { createIngest } from './app';

const meter = createMeter();
const s3 = createS3Client();
const stores = openStores(
  { env: process.env, dynamo: createDynamoClient() },
  { apiKeys, buckets, changeLog, commits, objects, uploads },
);

const ingest = createIngest((bucketName) => ({
  ...stores,
  blobs: new S3Blobs(s3, bucketName),
  clock: systemClock,
  ids: systemIds,
  backoff: jitteredBackoff,
  log,
  meter,
}));

export const handler = reporting(meter, ingest);
