/** The deployment to restore: the local service of `npm run emulate`, or a stack by its outputs. */

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { S3Client } from '@aws-sdk/client-s3';
import { jitteredBackoff, systemClock, systemIds } from '../../../adapters/system';
import type { RestoreDeps } from '../../../core/maintenance/recovery/recovery-deps';
import { ENV } from '../../../lambdas/runtime/env';
import {
  blobs,
  buckets,
  changeLog,
  commits,
  objects,
  openStores,
  restoring,
  serviceState,
  uploads,
} from '../../../lambdas/runtime/stores';

export interface Target {
  readonly dynamo: DynamoDBClient;
  readonly s3: S3Client;
  readonly output: (name: string) => string;
}

/** Many calls run concurrently for hours: retry throttling and other temporary failures. */
const RETRYING = { maxAttempts: 10 } satisfies DynamoDBClientConfig;

/** Returns the running local service, which writes its addresses to the data folder. */
export function localTarget(folder: string): Target {
  const file = path.join(folder, 'endpoints.json');
  try {
    const { endpoints, credentials, region, outputs } = JSON.parse(readFileSync(file, 'utf8'));
    const common = { ...RETRYING, credentials, region };
    return {
      dynamo: new DynamoDBClient({ ...common, endpoint: endpoints.dynamodb }),
      s3: new S3Client({ ...common, endpoint: endpoints.s3, forcePathStyle: true }),
      output: reader(outputs, file),
    };
  } catch (cause) {
    throw new Error(
      `no local service in ${folder}: run 'npm run emulate' first, or pass --outputs`,
      {
        cause,
      },
    );
  }
}

/**
 * Returns a stack in AWS, with the credentials and region of the environment. `cdk deploy
 * --outputs-file` or `aws cloudformation describe-stacks` writes the file.
 */
export function deployedTarget(file: string): Target {
  const outputs = outputsIn(JSON.parse(readFileSync(file, 'utf8')));
  return {
    dynamo: new DynamoDBClient(RETRYING),
    s3: new S3Client(RETRYING),
    output: reader(outputs, file),
  };
}

type Outputs = Readonly<Record<string, unknown>>;

interface Described {
  readonly Stacks?: readonly {
    readonly Outputs?: readonly { readonly OutputKey: string; readonly OutputValue: string }[];
  }[];
}

export function outputsIn(json: Described & Readonly<Record<string, unknown>>): Outputs {
  const stacks: readonly unknown[] = json.Stacks ?? Object.values(json);
  const [stack] = stacks;
  if (stacks.length !== 1 || typeof stack !== 'object' || stack === null) {
    throw new Error(`the outputs must be those of one stack, got ${stacks.length}`);
  }
  const described = json.Stacks?.[0]?.Outputs;
  if (described === undefined) return stack as Outputs;
  return Object.fromEntries(
    described.map(({ OutputKey, OutputValue }) => [OutputKey, OutputValue]),
  );
}

function reader(outputs: Outputs, file: string): (name: string) => string {
  return (name) => {
    const value = outputs[name];
    if (typeof value !== 'string')
      throw new Error(
        `${file} has no output ${name}: add it to your stack ` +
          '(docs/construct.md, "Keys and clients")',
      );
    return value;
  };
}

export function restoreDeps({ dynamo, s3, output }: Target): RestoreDeps {
  const env = {
    [ENV.bucketsTable]: output('BucketsTableName'),
    [ENV.objectsTable]: output('ObjectsTableName'),
    [ENV.changesTable]: output('ChangesTableName'),
    [ENV.uploadsTable]: output('UploadsTableName'),
    [ENV.contentBucket]: output('ContentBucketName'),
  };
  const stores = openStores(
    { env, dynamo, s3 },
    { blobs, buckets, changeLog, commits, objects, restoring, serviceState, uploads },
  );
  const line = (event: string, fields: object = {}) => {
    process.stderr.write(`${JSON.stringify({ event, ...fields })}\n`);
  };
  return {
    ...stores,
    clock: systemClock,
    ids: systemIds,
    backoff: jitteredBackoff,
    // A command publishes no metrics.
    meter: { add: () => undefined },
    log: { info: line, error: line },
  };
}
