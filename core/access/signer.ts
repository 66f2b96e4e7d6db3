/**
 * Who had the URLs of an upload signed. S3 checks the signature only, which is the service's own
 * and outlives the API key, so the key is checked again when the upload is committed.
 */
import { ofGeneration } from './authentication';
import { type Caller, isPrincipal, mayOnObject } from './permissions';
import type { Action, ApiKeys, Signer } from './ports';

/** What a key needs for the URL of an upload. */
export const UPLOAD_ACTIONS = ['sign', 'write'] as const;

/**
 * undefined: an IAM principal, which has no key that could be revoked. Its URLs end with the role
 * that signed them, and its rights with a deployment.
 */
export function signerOf(caller: Caller): Signer | undefined {
  if (isPrincipal(caller)) return undefined;
  const { keyId, generation = 0 } = caller;
  return { keyId, generation };
}

/**
 * Whether the key could have an upload of the object signed now, its expiry aside: it is not
 * revoked, the secret is not replaced without an overlap, and the permissions still allow it. A key
 * that has expired since is no reason to refuse, because it had not when it signed, and the expiry
 * of the URL was announced. AWS calls: 1 GetItem.
 */
export function mayStillUpload(apiKeys: ApiKeys, signer: Signer, place: Place): Promise<boolean> {
  return mayStillSign(apiKeys, signer, UPLOAD_ACTIONS, place);
}

interface Place {
  readonly bucket: string;
  readonly key: string;
}

/** The same for anything that a key made, which needs these actions. */
export async function mayStillSign(
  apiKeys: ApiKeys,
  { keyId, generation }: Signer,
  actions: readonly Action[],
  { bucket, key }: Place,
): Promise<boolean> {
  const record = await apiKeys.get(keyId);
  if (!record || record.revokedAt !== undefined || !ofGeneration(record, generation)) return false;
  const { permissions } = record;
  return actions.every((action) => mayOnObject({ keyId, permissions }, action, bucket, key));
}
