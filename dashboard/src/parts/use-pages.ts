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

/** `read` must be stable (useCallback): another function starts another list. */
export function usePages<T>(read: ReadPage<T>): Pages<T> {
  const [progress, setProgress] = useState<Progress<T>>({ items: [], isLoading: true });
  const current = useRef<AbortController>(undefined);
  const load = useCallback(
    (items: readonly T[], next: string | undefined) => {
      current.current?.abort();
      const controller = new AbortController();
      const { signal } = controller;
      current.current = controller;
      setProgress({ items, next, isLoading: true });
      nextPage(read, next, signal).then(
        (page) => {
          if (signal.aborted) return;
          setProgress({ items: [...items, ...page.items], next: page.next, isLoading: false });
        },
        (error: unknown) => {
          if (!signal.aborted) setProgress({ items, next, isLoading: false, error });
        },
      );
    },
    [read],
  );
  useEffect(() => {
    load([], undefined);
    return () => current.current?.abort();
  }, [load]);
  const { items, next, isLoading, error } = progress;
  return {
    items,
    hasMore: next !== undefined,
    isLoading,
    error,
    loadMore: () => load(items, next),
    reload: () => load([], undefined),
  };
}
