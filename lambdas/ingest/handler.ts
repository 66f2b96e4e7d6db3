/** The ingest function: commits the signed uploads that S3 reports. */
import { HttpTables } from '../../adapters/dynamodb/tables/http-tables';
import { S3Blobs } from '../../adapters/s3/blobs';
import { connectS3 } from '../../adapters/s3/s3-connection';
import {
  apiKeys,
  buckets,
  changeLog,
  commits,
  objects,
  openStores,
  uploads,
} from '../runtime/stores';
import { jitteredBackoff, systemClock, systemIds } from '../runtime/system';
import { createMeter, reporting } from '../runtime/telemetry/emf-meter';
import { log } from '../runtime/telemetry/log';
import { createIngest } from './app';

const meter = createMeter();
const s3 = connectS3();
const stores = openStores(
  { env: process.env, dynamo: new HttpTables() },
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
