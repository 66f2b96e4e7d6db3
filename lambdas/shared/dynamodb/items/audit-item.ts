import type { AuditAction, AuditDetails, AuditRecord } from '../../../../core/access/ports';
import { fromItem, type Item, toItem } from './attributes';

/**
 * All records are in one partition, which accepts a thousand changes of keys a second.
 */
export const KEYS_LOG = 'keys';

interface AuditFields {
  readonly log: string;
  readonly id: string;
  readonly at: string;
  readonly actor: string;
  readonly actor_id: string;
  readonly action: AuditAction;
  readonly key_id: string;
  readonly details: AuditDetails;
}

export function auditItem(record: AuditRecord): Item {
  const { id, at, actor, actorId, action, keyId, details } = record;
  return toItem({
    log: KEYS_LOG,
    id,
    at,
    actor,
    actor_id: actorId,
    action,
    key_id: keyId,
    details,
  });
}

export function auditRecord(item: Item): AuditRecord {
  const { id, at, actor, actor_id, action, key_id, details } = fromItem<AuditFields>(item);
  return { id, at, actor, actorId: actor_id, action, keyId: key_id, details };
}
