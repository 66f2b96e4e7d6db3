/** `node dist/emulator/main.js [flags]`: runs a synthesized stack until a signal stops it. */
import { runCommand } from './command/command';

void runCommand(process.argv.slice(2), {
  announce: async ({ baseUrl, websocketUrl, endpoints, notes }) => {
    const channel = websocketUrl === undefined ? '' : `WebSocket  ${websocketUrl}\n`;
    const { s3, dynamodb } = endpoints;
    const shown = notes.map((note) => `note: ${note}\n`).join('');
    process.stdout.write(
      `base URL   ${baseUrl}\n${channel}S3         ${s3}\nDynamoDB   ${dynamodb}\n${shown}`,
    );
  },
});
