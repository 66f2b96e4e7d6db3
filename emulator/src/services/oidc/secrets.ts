/** The secrets that the issuer saves: its keys and the password of its user. */
import { generateKeyPairSync, type JsonWebKey, randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { readIfThere } from '../../machine/file-errors';
import { replaceFile } from '../../machine/replace-file';

/** Private, RS256. */
type SigningKey = JsonWebKey & { readonly kid: string };

export interface Secrets {
  /** Makes and saves the key at the first call: that takes longer than the start of the issuer. */
  signingKey(): SigningKey;
  readonly cookieKey: string;
  readonly password: string;
  /** `sub` of the user. */
  readonly userId: string;
}

type Saved = Omit<Secrets, 'signingKey'> & { readonly signingKey?: SigningKey };

/** Reads the secrets, or creates them on the first start. Only this user can read the file. */
export function openSecrets(folder: string): Secrets {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, 'secrets.json');
  const text = readIfThere(file);
  let saved: Saved = text === undefined ? newSecrets() : JSON.parse(text);
  const save = () => replaceFile(file, JSON.stringify(saved));
  if (text === undefined) save();
  return {
    ...saved,
    signingKey: () => {
      const known = saved.signingKey;
      if (known !== undefined) return known;
      const signingKey = newSigningKey();
      saved = { ...saved, signingKey };
      save();
      return signingKey;
    },
  };
}

function newSecrets(): Saved {
  return {
    cookieKey: randomBytes(32).toString('base64url'),
    password: randomBytes(15).toString('base64url'),
    userId: crypto.randomUUID(),
  };
}

function newSigningKey(): SigningKey {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const kid = randomBytes(12).toString('base64url');
  return { ...privateKey.export({ format: 'jwk' }), kid, alg: 'RS256', use: 'sig' };
}
