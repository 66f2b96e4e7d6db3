/** Runs the service in a child process that the test kills. */
import { allowAll } from '../../src/iam/allow-all';
import { startDynamoDb } from '../../src/services/dynamodb/dynamodb';
import { LOG, NOTES } from './tables';

async function main(dataDir: string, lateMilliseconds?: number): Promise<void> {
  const { endpoint } = await startDynamoDb({
    tables: [NOTES, LOG],
    dataDir,
    iam: allowAll(),
    region: 'us-east-1',
    accountId: '000000000000',
    port: 0,
    streamDisorder: { seed: 1, shards: 1, lateMilliseconds },
  });
  process.send?.(endpoint);
}

void main(process.argv[2] ?? '', process.argv[3] ? Number(process.argv[3]) : undefined);
