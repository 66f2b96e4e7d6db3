import type { ChangeEntry, ShownEntry } from '../../core/log/ports';
import type { ObjectRecord, ShownRecord } from '../../core/store/objects';

/** Returns the record with only the fields that lists and changes show. */
export function shownOf(record: ObjectRecord): ShownRecord {
  const { by: _by, ancestors: _ancestors, ...rest } = record;
  if (rest.state === 'deleted') return rest;
  const { headers: _headers, blob: _blob, isPatched: _isPatched, ...shown } = rest;
  return shown;
}

/** Returns the entry with only the fields that changes show. */
export function shownEntryOf(entry: ChangeEntry): ShownEntry {
  if (entry.type === 'noop') return entry;
  const { previous: _previous, ...own } = entry;
  return { ...own, object: shownOf(own.object) };
}
