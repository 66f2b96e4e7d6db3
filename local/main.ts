/** `node dist/local/main.js [flags]`: runs a synthesized stack until it is told to stop. */
import { runCommand } from './command';

void runCommand(process.argv.slice(2), async ({ baseUrl, endpoints }) => {
  process.stdout.write(
    `base URL   ${baseUrl}\nS3         ${endpoints.s3}\nDynamoDB   ${endpoints.dynamodb}\n`,
  );
});
