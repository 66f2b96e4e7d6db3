/** The audit records that fit a filter, page by page. */
import { useCallback } from 'react';
import type { AuditRecord } from '../api/admin';
import { type Pages, usePages } from '../parts/use-pages';
import { useSession, useSignedIn } from '../session/session-context';
import { type AuditFilter, filteredPages } from './audit-filter';

/** Page size for filters that match few records. */
const LARGE_PAGE = 1000;

/** `filter` must be stable (useMemo): another one starts another list. */
export function useAudit(filter: AuditFilter): Pages<AuditRecord> {
  const { admin } = useSession();
  const { epoch } = useSignedIn();
  // biome-ignore lint/correctness/useExhaustiveDependencies: after another sign-in it is read again
  const read = useCallback(
    (next: string | undefined, signal?: AbortSignal) => {
      const limit = filter.text === '' && filter.actor === '' ? undefined : LARGE_PAGE;
      return filteredPages((token, until) => admin.audit(token, { limit, signal: until }), filter)(
        next,
        signal,
      );
    },
    [admin, filter, epoch],
  );
  return usePages(read, false);
}
