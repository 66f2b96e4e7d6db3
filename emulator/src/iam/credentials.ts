import { createHmac } from 'node:crypto';
import type { Credentials } from './iam';
import { equalInConstantTime } from './sigv4';

/** `AKIA` for long-lived keys, `ASIA` for those of a role's session, as in AWS. */
type Prefix = 'AKIA' | 'ASIA';

/**
 * Derives credentials from a secret seed and a name, so that URLs signed before a restart stay
 * valid as long as the data folder has the same seed.
 */
export function deriveCredentials(seed: string, prefix: Prefix, name: string): Credentials {
  const derive = (purpose: string) =>
    createHmac('sha256', seed).update(`${purpose}\n${name}`).digest();
  // 20 upper-case characters and 40 of base64, the lengths that SDKs and log filters expect.
  const accessKeyId = prefix + derive('id').toString('hex').slice(0, 16).toUpperCase();
  const secretAccessKey = derive('secret').toString('base64').slice(0, 40);
  return prefix === 'AKIA'
    ? { accessKeyId, secretAccessKey }
    : { accessKeyId, secretAccessKey, sessionToken: derive('token').toString('base64') };
}

/** A token that makes the credentials of a role end at `until`, epoch milliseconds. */
export function sessionToken(seed: string, name: string, until: number): string {
  const digest = createHmac('sha256', seed).update(`session\n${name}\n${until}`).digest('base64');
  return `${until.toString(36)}.${digest}`;
}

/** The end of a token of `sessionToken`, epoch milliseconds; undefined for any other text. */
export function endOfSession(seed: string, name: string, token: string): number | undefined {
  const until = Number.parseInt(token, 36);
  return equalInConstantTime(sessionToken(seed, name, until), token) ? until : undefined;
}
