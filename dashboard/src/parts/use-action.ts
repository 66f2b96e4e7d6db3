/** The action of a button: whether it is running, and why it failed. */
import { useState } from 'react';

export interface Action {
  readonly isBusy: boolean;
  /** The error of the last run. */
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
