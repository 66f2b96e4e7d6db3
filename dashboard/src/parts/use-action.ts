/** The action of a button: whether it is running, and why it failed. */
import { useState } from 'react';

export interface Action<A extends readonly unknown[] = []> {
  readonly isBusy: boolean;
  /** The error of the last run. */
  readonly error: unknown;
  readonly run: (...args: A) => void;
}

export function useAction<A extends readonly unknown[] = []>(
  act: (...args: A) => Promise<void>,
): Action<A> {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const work = async (args: A) => {
    setBusy(true);
    setError(undefined);
    await act(...args).catch(setError);
    setBusy(false);
  };
  return { isBusy, error, run: (...args) => void work(args) };
}
