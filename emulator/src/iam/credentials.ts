import { createHmac } from 'node:crypto';
import type { Credentials } from './iam';

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
