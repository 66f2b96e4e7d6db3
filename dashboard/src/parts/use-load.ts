/** Loading something for a page: again on demand, and whatever came too late is dropped. */
import { useCallback, useEffect, useState } from 'react';

export interface Loaded<T> {
  /** Stays while it is loaded again. */
  readonly value?: T;
  readonly error?: unknown;
  readonly isLoading: boolean;
  readonly reload: () => void;
}

/** `load` must be stable (useCallback): another one loads anew, and forgets what was there. */
export function useLoad<T>(load: (signal: AbortSignal) => Promise<T>): Loaded<T> {
  const [round, setRound] = useState(0);
  const [result, setResult] = useState<{
    load: unknown;
    round: number;
    value?: T;
    error?: unknown;
  }>();
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    load(signal).then(
      (value) => {
        if (!signal.aborted) setResult({ load, round, value });
      },
      (error: unknown) => {
        if (signal.aborted) return;
        setResult((before) => ({
          load,
          round,
          error,
          ...(before?.load === load && { value: before.value }),
        }));
      },
    );
    return () => controller.abort();
  }, [load, round]);
  const reload = useCallback(() => setRound((before) => before + 1), []);
  const isOfThis = result?.load === load;
  const isLoading = !isOfThis || result.round !== round;
  return {
    isLoading,
    reload,
    ...(isOfThis && { value: result.value }),
    ...(isOfThis && !isLoading && { error: result.error }),
  };
}
