/** `node dist/emulator/main.js [flags]`: runs a synthesized stack until it is told to stop. */
import { runCommand } from './command';

void runCommand(process.argv.slice(2), async ({ baseUrl, syncUrl, endpoints }) => {
  const sync = syncUrl === undefined ? '' : `sync       ${syncUrl}\n`;
  process.stdout.write(
    `base URL   ${baseUrl}\n${sync}S3         ${endpoints.s3}\nDynamoDB   ${endpoints.dynamodb}\n`,
  );
});
