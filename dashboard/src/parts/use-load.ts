/** Loads a value for a page, and loads it again on demand. Outdated results are dropped. */
import { useCallback, useEffect, useState } from 'react';

export interface Loaded<T> {
  /** The last value; it stays while another one is loaded. */
  readonly value?: T;
  readonly error?: unknown;
  readonly isLoading: boolean;
  readonly reload: () => void;
  /** Replaces the value with one that the service has just returned, without another request. */
  readonly replace: (value: T) => void;
}

/** `load` must be stable (useCallback): another function loads again and drops the old value. */
export function useLoad<T>(load: (signal: AbortSignal) => Promise<T>): Loaded<T> {
  const [attempt, setAttempt] = useState(0);
  const [result, setResult] = useState<{
    load: unknown;
    attempt: number;
    value?: T;
    error?: unknown;
  }>();
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    load(signal).then(
      (value) => {
        if (!signal.aborted) setResult({ load, attempt, value });
      },
      (error: unknown) => {
        if (signal.aborted) return;
        setResult((before) => ({
          load,
          attempt,
          error,
          ...(before?.load === load && { value: before.value }),
        }));
      },
    );
    return () => controller.abort();
  }, [load, attempt]);
  const reload = useCallback(() => setAttempt((before) => before + 1), []);
  const isOfThis = result?.load === load;
  const isLoading = !isOfThis || result.attempt !== attempt;
  return {
    isLoading,
    reload,
    replace: (value) => setResult({ load, attempt, value }),
    ...(isOfThis && { value: result.value }),
    ...(isOfThis && !isLoading && { error: result.error }),
  };
}
