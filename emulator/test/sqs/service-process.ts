/** Runs the service in a child process that the test kills. */
import { allowAll } from '../../src/iam/allow-all';
import { startSqs } from '../../src/services/sqs/sqs';
import { DEAD, WORK } from './queues';

async function main(dataDir: string): Promise<void> {
  const { endpoint } = await startSqs({
    queues: [WORK, DEAD],
    dataDir,
    iam: allowAll(),
    region: 'us-east-1',
    accountId: '000000000000',
    port: 0,
  });
  process.send?.(endpoint);
}

void main(process.argv[2] ?? '');
