/**
 * Audit records in words. What they hold comes from the service, but is shown as text whatever it
 * is.
 */
import { isRecord } from '../../../client/resources';
import { summarize } from '../../../core/access/permission-summary';
import type { AuditRecord, Permission } from '../api/admin';
import { ACTIONS } from '../keys/actions';
import { timeText } from '../parts/format';

export const ACTION_TEXT: Readonly<Record<AuditRecord['action'], string>> = {
  create: 'Created a key',
  change: 'Changed a key',
  revoke: 'Revoked a key',
  rotate: 'Made a new secret',
  session: 'Opened the dashboard',
};

const NAMES: Readonly<Record<string, string>> = {
  name: 'Name',
  permissions: 'Permissions',
  tier: 'Rate limits',
  expires_at: 'Expires',
  previous_until: 'Old secret works until',
  revoked_at: 'Revoked',
  revoked_by: 'Revoked by',
};

/** One line per field; a changed one with what it was and what it is. */
export function detailLines(details: AuditRecord['details']): readonly string[] {
  const { before, after, ...plain } = details;
  const lines = inOrder(Object.keys(plain)).map((name) => `${label(name)}: ${words(plain[name])}`);
  const old = isRecord(before) ? before : {};
  const now = isRecord(after) ? after : {};
  const changed = inOrder([...new Set([...Object.keys(old), ...Object.keys(now)])]);
  return [
    ...lines,
    ...changed.map((name) => `${label(name)}: ${words(old[name])} → ${words(now[name])}`),
  ];
}

/** That of NAMES; what is not among them comes first. A record itself has no order. */
function inOrder(names: readonly string[]): readonly string[] {
  const known = Object.keys(NAMES);
  return names.toSorted((a, b) => known.indexOf(a) - known.indexOf(b));
}

function label(name: string): string {
  return NAMES[name] ?? name;
}

function words(value: unknown): string {
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
