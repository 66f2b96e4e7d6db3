import { createHmac } from 'node:crypto';
import type { Credentials } from './iam';

/** `AKIA` marks long-lived keys, `ASIA` those of a role's session, as in AWS. */
type Prefix = 'AKIA' | 'ASIA';

/**
 * Credentials that follow from a secret seed and a name, so that URLs signed before a restart stay
 * good as long as the data folder keeps its seed.
 */
export function deriveCredentials(seed: string, prefix: Prefix, name: string): Credentials {
  const derive = (purpose: string) =>
    createHmac('sha256', seed).update(`${purpose}\n${name}`).digest();
  // 20 upper-case characters in all and 40 of base64, the lengths that SDKs and log scrubbers
  // expect.
  const accessKeyId = prefix + derive('id').toString('hex').slice(0, 16).toUpperCase();
  const secretAccessKey = derive('secret').toString('base64').slice(0, 40);
  return prefix === 'AKIA'
    ? { accessKeyId, secretAccessKey }
    : { accessKeyId, secretAccessKey, sessionToken: derive('token').toString('base64') };
}
