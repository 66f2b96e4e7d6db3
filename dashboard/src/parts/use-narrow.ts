/** Whether the page is as narrow as a phone. */
import { useSyncExternalStore } from 'react';

const narrow = window.matchMedia('(max-width: 688px)');

function onChange(changed: () => void): () => void {
  narrow.addEventListener('change', changed);
  return () => narrow.removeEventListener('change', changed);
}

export function useNarrow(): boolean {
  return useSyncExternalStore(onChange, () => narrow.matches);
}
