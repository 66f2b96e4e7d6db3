/** A list that grows page by page, on demand. */
import { useCallback, useEffect, useRef, useState } from 'react';
import { nextPage, type ReadPage } from './all-pages';

export interface Pages<T> {
  readonly items: readonly T[];
  readonly hasMore: boolean;
  readonly isLoading: boolean;
  readonly error?: unknown;
  readonly loadMore: () => void;
  readonly reload: () => void;
}

interface Progress<T> {
  readonly items: readonly T[];
  readonly next?: string;
  readonly isLoading: boolean;
  readonly error?: unknown;
}

/**
 * `read` must be stable (useCallback): another function starts another list. `skipsEmpty`: whether
 * empty pages are skipped without a request of the user.
 */
export function usePages<T>(read: ReadPage<T>, skipsEmpty = true): Pages<T> {
  const [progress, setProgress] = useState<Progress<T>>({ items: [], isLoading: true });
  const current = useRef<AbortController>(undefined);
  const load = useCallback(
    (items: readonly T[], next: string | undefined, shown = items) => {
      current.current?.abort();
      const controller = new AbortController();
      const { signal } = controller;
      current.current = controller;
      setProgress({ items: shown, next, isLoading: true });
      const reading = skipsEmpty ? nextPage(read, next, signal) : read(next, signal);
      reading.then(
        (page) => {
          if (signal.aborted) return;
          setProgress({ items: [...items, ...page.items], next: page.next, isLoading: false });
        },
        (error: unknown) => {
          if (!signal.aborted) setProgress({ items: shown, next, isLoading: false, error });
        },
      );
    },
    [read, skipsEmpty],
  );
  useEffect(() => {
    load([], undefined);
    return () => current.current?.abort();
  }, [load]);
  const { items, next, isLoading, error } = progress;
  // The old items stay until the new ones have arrived.
  const reload = () => load([], undefined, items);
  return {
    items,
    hasMore: next !== undefined,
    isLoading,
    error,
    loadMore: () => (next === undefined ? reload() : load(items, next)),
    reload,
  };
}
