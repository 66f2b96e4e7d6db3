/**
 * Runs a server in a child process, which a test kills or whose memory it measures. Started by
 * child-process.ts.
 */
import { appendFileSync } from 'node:fs';
import { allowAll } from '../../src/iam/allow-all';
import { startS3 } from '../../src/services/s3/s3';

const [dataDir = ''] = process.argv.slice(2);
const server = startS3({
  buckets: [{ name: 'photos' }],
  dataDir,
  iam: allowAll(),
  region: 'us-east-1',
  port: 0,
  // A slow consumer, so that events are pending when the process is killed.
  emit: async (event) => {
    await new Promise((resolve) => setTimeout(resolve, 20));
    appendFileSync(`${dataDir}.events`, `${event.key}\n`);
  },
});
void server.then(({ endpoint }) => process.send?.(endpoint));
process.on('message', () => process.send?.(process.resourceUsage().maxRSS));
process.on('disconnect', () => process.exit());
