/**
 * Creates, changes, rotates and revokes API keys. Each change is written with its audit record in
 * one transaction.
 */

import { forEachConcurrently } from '../concurrency';
import { ServiceError, unavailable } from '../errors';
import { KEY_LIMITS } from '../limits';
import type { Clock, Ids, Log } from '../system';
import { newApiKey } from './api-key';
import { auditDetails, changesBetween } from './audit-details';
import { isUsable } from './authentication';
import type { KeySettings } from './key-settings';
import type {
  ApiKeyRecord,
  AuditAction,
  AuditDetails,
  AuditRecord,
  KeyStore,
  Rates,
} from './ports';

export interface NewKeyDeps {
  readonly keys: KeyStore;
  readonly clock: Pick<Clock, 'now'>;
  readonly ids: Pick<Ids, 'ulid'>;
}

export interface KeysDeps extends NewKeyDeps {
  readonly rates: Pick<Rates, 'markChanged'>;
  readonly log: Log;
}

/** An administrator, as the issuer identifies them. */
export interface Actor {
  readonly id: string;
  readonly name: string;
}

/** `text` is the key itself, which is shown once. */
export interface CreatedKey {
  readonly key: ApiKeyRecord;
  readonly text: string;
}

/** AWS calls: 1 TransactWriteItems of 2 items. */
export async function createKey(
  deps: NewKeyDeps,
  actor: Actor,
  settings: KeySettings,
): Promise<CreatedKey> {
  const { text, ...identity } = newApiKey();
  const key: ApiKeyRecord = {
    ...identity,
    ...settings,
    createdAt: isoNow(deps),
    createdBy: actor.name,
  };
  await saveNew(deps, actor, 'create', key);
  return { key, text };
}

/**
 * Creates a key that expires after an hour, or at `until`: the expiry of the person's credentials,
 * epoch milliseconds. AWS calls: 1 TransactWriteItems of 2 items.
 */
export async function createSession(
  deps: NewKeyDeps,
  actor: Actor,
  session: Pick<KeySettings, 'permissions'> & { readonly until: number },
): Promise<CreatedKey & { readonly expiresAt: string }> {
  const { text, ...identity } = newApiKey();
  const end = Math.min(session.until, deps.clock.now() + KEY_LIMITS.sessionSeconds * 1000);
  const expiresAt = new Date(end).toISOString();
  const key: ApiKeyRecord = {
    ...identity,
    name: `dashboard of ${actor.name}`,
    permissions: session.permissions,
    createdAt: isoNow(deps),
    createdBy: actor.name,
    expiresAt,
    kind: 'session',
    actorId: actor.id,
  };
  await saveNew(deps, actor, 'session', key);
  return { key, text, expiresAt };
}

/** Keys that are revoked concurrently. */
const CONCURRENT_REVOCATIONS = 8;

/**
 * Revokes every working session key of the person, from any page and sign-in, and returns their
 * number. A page that is open elsewhere opens another session with its own access token. AWS calls:
 * 1 Scan for each MB of keys; for each key those of `revokeKey`.
 */
export async function endSessions(deps: KeysDeps, actor: Actor): Promise<number> {
  const now = deps.clock.now();
  const open = (await deps.keys.sessionsOf(actor.id)).filter((key) => isUsable(key, now));
  await forEachConcurrently(open, CONCURRENT_REVOCATIONS, async ({ id }) => {
    await revokeKey(deps, actor, id);
  });
  return open.length;
}

/** Settings to change; `expiresAt: null` removes the expiry. */
export type SettingsChange = Partial<Omit<KeySettings, 'expiresAt'>> & {
  readonly expiresAt?: string | null;
};

/**
 * Changes settings of the key. AWS calls: 1 GetItem, 1 TransactWriteItems, 1 UpdateItem; only the
 * first when nothing changes. Throws not_found, conflict.
 */
export function changeKey(
  deps: KeysDeps,
  actor: Actor,
  id: string,
  change: SettingsChange,
): Promise<ApiKeyRecord> {
  const { expiresAt: wanted, ...others } = change;
  return modifyKey(deps, { actor, action: 'change', id }, (key) => {
    requireUnrevoked(key);
    const { expiresAt: current, ...rest } = key;
    const expiresAt = wanted === undefined ? current : (wanted ?? undefined);
    return { ...rest, ...others, ...(expiresAt !== undefined && { expiresAt }) };
  });
}

/**
 * Revokes the key. Safe to repeat: a revoked key is not changed. AWS calls as with `changeKey`.
 * Throws not_found.
 */
export function revokeKey(deps: KeysDeps, actor: Actor, id: string): Promise<ApiKeyRecord> {
  return modifyKey(deps, { actor, action: 'revoke', id, isSessionAllowed: true }, (key) =>
    key.revokedAt ? key : { ...key, revokedAt: isoNow(deps), revokedBy: actor.name },
  );
}

/**
 * Gives the key a new secret; the current one works for another `overlapSeconds`, older ones stop
 * working. AWS calls: 1 GetItem, 1 TransactWriteItems, 1 UpdateItem. Throws not_found, and conflict
 * when the key is revoked or has expired.
 */
export async function rotateKey(
  deps: KeysDeps,
  actor: Actor,
  id: string,
  overlapSeconds: number,
): Promise<CreatedKey> {
  const { text, secretHash } = newApiKey(id);
  const key = await modifyKey(deps, { actor, action: 'rotate', id }, (old) => {
    requireUnrevoked(old);
    const now = deps.clock.now();
    if (!isUsable(old, now)) {
      throw conflict('expired', 'the key has expired; set a later expires_at first');
    }
    const { previousSecretHash, previousUntil, ...rest } = old;
    return {
      ...rest,
      secretHash,
      generation: (old.generation ?? 0) + 1,
      ...(overlapSeconds > 0 && {
        previousSecretHash: old.secretHash,
        previousUntil: new Date(now + overlapSeconds * 1000).toISOString(),
      }),
    };
  });
  return { key, text };
}

/** Returns the key. AWS calls: 1 GetItem. Throws not_found, also for the key of a session. */
export async function getKey(deps: Pick<KeysDeps, 'keys'>, id: string): Promise<ApiKeyRecord> {
  const key = await deps.keys.get(id);
  if (!key || key.kind === 'session') throw noSuchKey();
  return key;
}

/** Attempts to write a key that other people change at the same time. */
const ATTEMPTS = 5;

interface Modification {
  readonly actor: Actor;
  readonly action: AuditAction;
  /** The key's id. */
  readonly id: string;
  /** Whether the key of a session may be modified too. */
  readonly isSessionAllowed?: boolean;
}

/**
 * Writes the key that `next` returns, unless no setting differs. Throws not_found, unavailable, and
 * any error of `next`.
 */
async function modifyKey(
  deps: KeysDeps,
  { actor, action, id, isSessionAllowed = false }: Modification,
  next: (key: ApiKeyRecord) => ApiKeyRecord,
): Promise<ApiKeyRecord> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const key = await deps.keys.get(id);
    if (!key || (key.kind === 'session' && !isSessionAllowed)) throw noSuchKey();
    const changed = next(key);
    const details = changesBetween(key, changed);
    if (details === undefined) return key;
    const record = { ...changed, revision: (key.revision ?? 0) + 1 };
    if (await deps.keys.save(record, auditRecord(deps, { actor, action, keyId: id, details }))) {
      await markChanged(deps, id);
      return record;
    }
  }
  throw unavailable(new Error(`other changes of key ${id} came first in ${ATTEMPTS} attempts`));
}

/**
 * Marks every cached copy of the key as out of date; an instance sees the mark at its next lease of
 * tokens. A failure is only logged: the change is written, and function `revocation` sets the mark
 * again from the table's stream.
 */
async function markChanged(deps: KeysDeps, keyId: string): Promise<void> {
  try {
    await deps.rates.markChanged(keyId, deps.clock.now());
  } catch (error) {
    deps.log.error('change_not_marked', { keyId, error });
  }
}

interface AuditedAction {
  readonly actor: Actor;
  readonly action: AuditAction;
  readonly keyId: string;
  readonly details: AuditDetails;
}

async function saveNew(
  deps: NewKeyDeps,
  actor: Actor,
  action: AuditAction,
  key: ApiKeyRecord,
): Promise<void> {
  const details = action === 'session' ? { expires_at: key.expiresAt } : auditDetails(key);
  const saved = await deps.keys.save(
    key,
    auditRecord(deps, { actor, action, keyId: key.id, details }),
  );
  // The chance is one in 62^12; the client's next attempt gets another id.
  if (!saved) throw unavailable(new Error(`the id ${key.id} is in use`));
}

function auditRecord(
  deps: NewKeyDeps,
  { actor, action, keyId, details }: AuditedAction,
): AuditRecord {
  const at = isoNow(deps);
  return { id: deps.ids.ulid(), at, actor: actor.name, actorId: actor.id, action, keyId, details };
}

function requireUnrevoked(key: ApiKeyRecord): void {
  if (key.revokedAt)
    throw conflict('revoked', 'the key is revoked, which cannot be undone; create a new one');
}

function conflict(reason: string, message: string): ServiceError {
  return new ServiceError('conflict', { message, details: { reason } });
}

function noSuchKey(): ServiceError {
  return new ServiceError('not_found', { message: 'there is no key with this id' });
}

function isoNow(deps: Pick<NewKeyDeps, 'clock'>): string {
  return new Date(deps.clock.now()).toISOString();
}
