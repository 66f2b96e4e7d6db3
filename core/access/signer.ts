/**
 * The API key for which the URLs of an upload were signed. S3 checks only the service's signature,
 * which outlives the API key, so the key is checked again when the upload is committed.
 */
import { ofGeneration } from './authentication';
import { type Caller, isPrincipal, mayOnObject } from './permissions';
import type { Action, ApiKeys, Signer } from './ports';

/** Actions that a key needs for the URL of an upload. */
export const UPLOAD_ACTIONS = ['sign', 'write'] as const;

/**
 * Returns undefined for an IAM principal, which has no key that could be revoked. Its URLs end with
 * the role that signed them, and its rights with a deployment.
 */
export function signerOf(caller: Caller): Signer | undefined {
  if (isPrincipal(caller)) return undefined;
  const { keyId, generation = 0 } = caller;
  return { keyId, generation };
}

/**
 * Reports whether the key could have an upload of the object signed now, apart from its expiry: the
 * key is not revoked, its secret was not replaced without an overlap, and its permissions allow the
 * upload. A key that expired after it signed the URL is accepted, because the expiry of the URL was
 * announced. AWS calls: 1 GetItem.
 */
export function mayStillUpload(apiKeys: ApiKeys, signer: Signer, place: Place): Promise<boolean> {
  return mayStillSign(apiKeys, signer, UPLOAD_ACTIONS, place);
}

interface Place {
  readonly bucket: string;
  readonly key: string;
}

/** Reports the same for anything that a key made and that needs these actions. */
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
