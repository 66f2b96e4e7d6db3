/** Filters audit records, and formats them as CSV. Pure functions. */
import type { AuditRecord } from '../api/admin';
import type { Page } from '../api/client';
import type { ReadPage } from '../parts/all-pages';
import { actionText, detailLines } from './audit-text';

export interface AuditFilter {
  /** A text that some field of the record contains. */
  readonly text: string;
  /** `work`: all but the sign-ins. */
  readonly kind: AuditRecord['action'] | 'all' | 'work';
  /** A name; empty: everybody. */
  readonly actor: string;
  /** Epoch milliseconds; undefined: from the beginning. */
  readonly since?: number;
}

export const NO_FILTER: AuditFilter = { text: '', kind: 'work', actor: '' };

export function fits(record: AuditRecord, filter: AuditFilter): boolean {
  const { text, kind, actor } = filter;
  if (kind === 'work' ? record.action === 'session' : kind !== 'all' && kind !== record.action) {
    return false;
  }
  if (actor !== '' && record.actor !== actor) return false;
  if (!isSince(record, filter)) return false;
  const shown = [
    record.actor,
    record.key_id,
    actionText(record.action),
    ...detailLines(record.details),
  ];
  return shown.join('\n').toLowerCase().includes(text.trim().toLowerCase());
}

function isSince({ at }: AuditRecord, { since }: AuditFilter): boolean {
  return since === undefined || Date.parse(at) >= since;
}

/** Number of pages without a match after which the user has to ask for more. */
const MOST_PAGES = 5;

/** Reads the matching records, newest first. A record that is older than `since` ends the list. */
export function filteredPages(
  read: ReadPage<AuditRecord>,
  filter: AuditFilter,
): ReadPage<AuditRecord> {
  return async (from, signal) => {
    let next = from;
    const items: AuditRecord[] = [];
    for (let pages = 0; pages < MOST_PAGES; pages++) {
      const page: Page<AuditRecord> = await read(next, signal);
      items.push(...page.items.filter((record) => fits(record, filter)));
      const last = page.items.at(-1);
      next = last === undefined || isSince(last, filter) ? page.next : undefined;
      if (next === undefined || items.length > 0) break;
    }
    return { items, ...(next !== undefined && { next }) };
  };
}

const COLUMNS = ['at', 'actor', 'actor_id', 'action', 'key_id', 'id'] as const;

/** Returns the records as CSV (RFC 4180), with the details as JSON in the last column. */
export function csvOf(records: readonly AuditRecord[]): string {
  const rows = records.map((record) => [
    ...COLUMNS.map((name) => record[name]),
    JSON.stringify(record.details),
  ]);
  return [[...COLUMNS, 'details'], ...rows]
    .map((row) => `${row.map(cellOf).join(',')}\r\n`)
    .join('');
}

/** Quotes a value. Users choose names, and a spreadsheet must not run one as a formula. */
function cellOf(value: string): string {
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
