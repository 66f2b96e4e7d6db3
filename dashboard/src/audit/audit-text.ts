/** Audit records as text. Their details come from the service; unknown values are shown as JSON. */
import { isRecord } from '../../../client/resources';
import { summarize } from '../../../core/access/permission-summary';
import { ACTIONS } from '../api/actions';
import type { AuditRecord, Permission } from '../api/admin';
import { timeText } from '../parts/format';
import { own } from '../parts/own';

export const ACTION_TEXT: Readonly<Record<AuditRecord['action'], string>> = {
  create: 'Created a key',
  change: 'Changed a key',
  revoke: 'Revoked a key',
  rotate: 'Made a new secret',
  session: 'Opened the dashboard',
  delete_bucket: 'Deleted a bucket',
};

/** A later version of the service may record other actions. */
export function actionText(action: string): string {
  return own(ACTION_TEXT, action) ?? action.replaceAll('_', ' ');
}

const NAMES: Readonly<Record<string, string>> = {
  name: 'Name',
  bucket: 'Bucket',
  bucket_id: 'Its id',
  permissions: 'Permissions',
  tier: 'Rate limits',
  expires_at: 'Expires',
  previous_until: 'Old secret works until',
  revoked_at: 'Revoked',
  revoked_by: 'Revoked by',
};

/** Returns one line per field; a changed field with its old and new value. */
export function detailLines(details: AuditRecord['details']): readonly string[] {
  const { before, after, ...plain } = details;
  const lines = inOrder(Object.keys(plain)).map(
    (name) => `${label(name)}: ${valueText(plain[name])}`,
  );
  const old = isRecord(before) ? before : {};
  const now = isRecord(after) ? after : {};
  const changed = inOrder([...new Set([...Object.keys(old), ...Object.keys(now)])]);
  return [
    ...lines,
    ...changed.map(
      (name) => `${label(name)}: ${valueText(own(old, name))} → ${valueText(own(now, name))}`,
    ),
  ];
}

/** Sorts field names in the order of NAMES, unknown ones first. */
function inOrder(names: readonly string[]): readonly string[] {
  const known = Object.keys(NAMES);
  return names.toSorted((a, b) => known.indexOf(a) - known.indexOf(b));
}

function label(name: string): string {
  return own(NAMES, name) ?? name;
}

function valueText(value: unknown): string {
  if (value === undefined || value === null) return 'none';
  if (isPermissions(value)) return summarize(value).join('; ') || 'none';
  if (typeof value !== 'string') return JSON.stringify(value);
  return /^\d{4}-\d\d-\d\dT/.test(value) ? timeText(value) : value;
}

function isPermissions(value: unknown): value is readonly Permission[] {
  return (
    Array.isArray(value) &&
    value.every(
      (item) =>
        isRecord(item) &&
        isTexts(item.buckets) &&
        isTexts(item.actions) &&
        item.actions.every((action) => ACTIONS.some((known) => known === action)),
    )
  );
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}
