/** The secrets that the issuer saves: its keys and the password of its user. */
import { generateKeyPairSync, type JsonWebKey, randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from '../../storage/replace-file';
import { isRecord } from '../../template/json';

export interface Secrets {
  /** Private, RS256. */
  readonly signingKey: JsonWebKey & { readonly kid: string };
  readonly cookieKey: string;
  readonly password: string;
  /** `sub` of the user. */
  readonly userId: string;
}

/** Reads the secrets, or creates them on the first start. Only this user can read the file. */
export function openSecrets(folder: string): Secrets {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, 'secrets.json');
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    if (!isRecord(error) || error.code !== 'ENOENT') throw error;
  }
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const kid = randomBytes(12).toString('base64url');
  const secrets: Secrets = {
    signingKey: { ...privateKey.export({ format: 'jwk' }), kid, alg: 'RS256', use: 'sig' },
    cookieKey: randomBytes(32).toString('base64url'),
    password: randomBytes(15).toString('base64url'),
    userId: crypto.randomUUID(),
  };
  replaceFile(file, JSON.stringify(secrets));
  return secrets;
}
