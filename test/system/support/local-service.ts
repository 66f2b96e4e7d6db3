/** The local service as a user runs it: a process of its own, which a test can kill. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { S3Client } from '@aws-sdk/client-s3';
import type { Credentials } from '../../../emulator/src/iam/iam';
import { parseEndpoint } from '../../../lambdas/shared/aws/environment';
import { DynamoApiKeys } from '../../../lambdas/shared/dynamodb/api-keys';
import { DynamoBuckets } from '../../../lambdas/shared/dynamodb/buckets';
import { DynamoChangeLog } from '../../../lambdas/shared/dynamodb/change-log';
import { DynamoConsumers } from '../../../lambdas/shared/dynamodb/channel/consumers';
import { DynamoSubscriptions } from '../../../lambdas/shared/dynamodb/channel/subscriptions';
import { DynamoCommits } from '../../../lambdas/shared/dynamodb/commits';
import { DynamoObjects } from '../../../lambdas/shared/dynamodb/objects';
import { DynamoServiceState } from '../../../lambdas/shared/dynamodb/service-state';
import { DynamoSlots } from '../../../lambdas/shared/dynamodb/slots';
import { HttpTables } from '../../../lambdas/shared/dynamodb/tables/http-tables';
import { DynamoUploads } from '../../../lambdas/shared/dynamodb/uploads';
import { S3BlobReader } from '../../../lambdas/shared/s3/blob-reader';
import { ListedS3Blobs } from '../../../lambdas/shared/s3/listed-blobs';
import { connectS3 } from '../../../lambdas/shared/s3/s3-connection';
import { systemIds } from '../../../lambdas/shared/system';
import { GatewayChannels } from '../../../lambdas/shared/websocket/channels';
import { createConnectionsClient } from '../../../lambdas/shared/websocket/connections-client';
import { FakeMeter } from '../../support/fakes/fake-meter';
import { type TemporaryFolder, temporaryFolder } from '../../support/temporary-folder';

const ROOT = path.join(__dirname, '..', '..', '..');
const SERVE = path.join(ROOT, 'dist', 'cli', 'serve.js');
const START_TIMEOUT_MS = 60_000;

export interface Running {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly pid: number;
  /** Sends SIGKILL and waits for the end. */
  kill(): Promise<void>;
  /** Sends SIGINT and returns the exit code. */
  interrupt(): Promise<number | null>;
}

export const newDataFolder = (): TemporaryFolder => temporaryFolder('data');

/**
 * Starts the service on free ports, unless the flags name others, and waits until it is ready.
 * `command` replaces `dist/cli/serve.js`.
 */
export async function startLocalService(
  folder: string,
  more: readonly string[] = [],
  command: readonly string[] = [SERVE],
): Promise<Running> {
  const ports = ['', 's3-', 'dynamodb-', 'sqs-', 'oidc-', 'api-'].map((name) => `--${name}port`);
  const flags = [...ports.flatMap((port) => [port, '0']), '--data', folder, ...more];
  const child = spawn(process.execPath, [...command, ...flags], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const end = () => child.kill('SIGKILL');
  process.once('exit', end);
  let output = '';
  child.stdout?.on('data', (chunk) => {
    output += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    output += chunk;
  });
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (!output.includes('Ctrl-C stops everything')) {
    if (child.exitCode !== null || Date.now() > deadline) {
      end();
      throw new Error(`the service did not start:\n${output}`);
    }
    await wait(50);
  }
  const stop = async (signal: NodeJS.Signals) => {
    process.removeListener('exit', end);
    return ended(child, signal);
  };
  return {
    baseUrl: /base URL +(\S+)/.exec(output)?.[1] ?? '',
    apiKey: /API key +(\S+)/.exec(output)?.[1] ?? '',
    pid: child.pid ?? 0,
    kill: async () => {
      await stop('SIGKILL');
    },
    interrupt: () => stop('SIGINT'),
  };
}

async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) {
    const exit = once(child, 'exit');
    child.kill(signal);
    await exit;
  }
  return child.exitCode;
}

/**
 * Opens the stores of the running service with the credentials of its operator, or of the role of a
 * function. Their clock is two days ahead, for the tasks that wait a day.
 */
export function openStores(folder: string, role?: Credentials) {
  const { endpoints, region, outputs, ...developer } = JSON.parse(
    readFileSync(path.join(folder, 'endpoints.json'), 'utf8'),
  );
  const credentials: Credentials = role ?? developer.credentials;
  const dynamo = new DynamoDBClient({ endpoint: endpoints.dynamodb, credentials, region });
  const opened = new HttpTables({
    endpoint: parseEndpoint(endpoints.dynamodb),
    credentials: () => credentials,
    region,
  });
  const s3 = new S3Client({ endpoint: endpoints.s3, credentials, region, forcePathStyle: true });
  const connections = createConnectionsClient(endpoints.connections, {
    credentials: () => credentials,
    region,
  });
  const tables = {
    buckets: outputs.BucketsTableName,
    objects: outputs.ObjectsTableName,
    changes: outputs.ChangesTableName,
    uploads: outputs.UploadsTableName,
  };
  const clock = { now: () => Date.now() + 2 * 86_400_000, sleep: async () => undefined };
  const errors: unknown[] = [];
  return {
    dynamo,
    keyTables: { apiKeys: outputs.ApiKeysTableName, audit: outputs.AuditTableName },
    buckets: new DynamoBuckets(opened, outputs.BucketsTableName, tables.uploads),
    objects: new DynamoObjects(opened, tables.objects),
    changeLog: new DynamoChangeLog(opened, tables.changes),
    commits: new DynamoCommits(opened, tables),
    consumers: new DynamoConsumers(opened, tables, clock),
    apiKeys: new DynamoApiKeys(opened, outputs.ApiKeysTableName),
    subscriptions: new DynamoSubscriptions(opened, outputs.SubscriptionsTableName),
    slots: new DynamoSlots(opened, outputs.RatesTableName),
    channels: new GatewayChannels(connections),
    uploads: new DynamoUploads(opened, tables.uploads, clock),
    serviceState: new DynamoServiceState(opened, outputs.BucketsTableName),
    blobs: new ListedS3Blobs(
      connectS3({ endpoint: parseEndpoint(endpoints.s3), region, credentials: () => credentials }),
      outputs.ContentBucketName,
      new S3BlobReader(s3, outputs.ContentBucketName),
    ),
    clock,
    ids: systemIds,
    backoff: async () => undefined,
    retentionSeconds: 30 * 86_400,
    log: {
      info: () => undefined,
      error: (event: string, fields: unknown) => errors.push([event, fields]),
    },
    meter: new FakeMeter(),
    errors,
    close: () => {
      dynamo.destroy();
      s3.destroy();
    },
  };
}
