import type { AuditAction, AuditDetails, AuditRecord } from '../../../core/access/ports';
import { fromItem, type Item, toItem } from './attributes';

/**
 * All records are in one partition, which accepts a thousand changes of keys a second.
 */
export const KEYS_LOG = 'keys';

/**
 * The partition of Buckets with the records of deleted buckets: the functions that delete buckets
 * may write that table already, and may not overwrite the records about keys.
 */
export const BUCKETS_LOG = '#audit';

interface AuditFields {
  readonly at: string;
  readonly actor: string;
  readonly actor_id: string;
  readonly action: AuditAction;
  readonly key_id: string;
  readonly details: AuditDetails;
}

/** A record about a key: an item of the table Audit. */
export function auditItem(record: AuditRecord): Item {
  return toItem({ log: KEYS_LOG, id: record.id, ...fieldsOf(record) });
}

/** A record about a bucket: an item of the table Buckets. */
export function bucketAuditItem(record: AuditRecord): Item {
  return toItem({ name: BUCKETS_LOG, entry: record.id, ...fieldsOf(record) });
}

function fieldsOf({ at, actor, actorId, action, keyId, details }: AuditRecord): AuditFields {
  return { at, actor, actor_id: actorId, action, key_id: keyId, details };
}

type Stored = AuditFields & ({ readonly id: string } | { readonly entry: string });

export function auditRecord(item: Item): AuditRecord {
  const fields = fromItem<Stored>(item);
  const { at, actor, actor_id, action, key_id, details } = fields;
  const id = 'id' in fields ? fields.id : fields.entry;
  return { id, at, actor, actorId: actor_id, action, keyId: key_id, details };
}
