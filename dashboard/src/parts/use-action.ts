/** What a button does, once at a time, and why it did not work. */
import { useState } from 'react';

export interface Action {
  readonly isBusy: boolean;
  /** Of the last time. */
  readonly error: unknown;
  readonly run: () => void;
}

export function useAction(act: () => Promise<void>): Action {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const work = async () => {
    setBusy(true);
    setError(undefined);
    await act().catch(setError);
    setBusy(false);
  };
  return { isBusy, error, run: () => void work() };
}
