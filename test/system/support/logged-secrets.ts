/**
 * Searches logs for secrets. Also a command for the logs of a data folder:
 * `npx tsx test/system/support/logged-secrets.ts DATA`.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const SECRETS: Readonly<Record<string, RegExp>> = {
  'an API key': /osk_[0-9A-Za-z]{12}_[0-9A-Za-z]{43}/,
  'a signed URL': /X-Amz-(Signature|Credential|Security-Token)=/i,
  'a token of a person': /eyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]+/,
  'an Authorization header': /\b(Bearer|AWS4-HMAC-SHA256) +[\w-]{8}/,
  'a ticket': /\bticket=[\w-]{8}/,
};

export interface Line {
  readonly file: string;
  readonly text: string;
}

/** Every line that the functions and gateways of a data folder wrote. */
export function logLines(dataFolder: string): Line[] {
  const folder = path.join(dataFolder, 'logs');
  return readdirSync(folder).flatMap((file) =>
    readFileSync(path.join(folder, file), 'utf8')
      .split('\n')
      .filter((text) => text !== '')
      .map((text) => ({ file, text })),
  );
}

/** Returns each secret found, with its line. `known` are secret values without a pattern. */
export function secretsIn(lines: readonly Line[], known: readonly string[] = []): string[] {
  return lines.flatMap(({ file, text }) => [
    ...Object.entries(SECRETS)
      .filter(([, pattern]) => pattern.test(text))
      .map(([what]) => `${file}: ${what}: ${text}`),
    ...known.filter((value) => text.includes(value)).map((value) => `${file}: ${value}: ${text}`),
  ]);
}

function judge(dataFolder: string): void {
  const lines = logLines(dataFolder);
  const requests = lines.filter(({ text }) => text.includes('"event":"metrics"'));
  const found = secretsIn(lines);
  for (const each of found.slice(0, 20)) process.stderr.write(`${each}\n`);
  process.stdout.write(
    `${lines.length} lines of logs, ${requests.length} reports, ${found.length} secrets\n`,
  );
  if (found.length > 0 || requests.length === 0) process.exitCode = 1;
}

const [script, dataFolder] = process.argv.slice(1);
if (script === __filename && dataFolder !== undefined) judge(dataFolder);
