/** A value that changes often, read once it rests. */
import { useEffect, useState } from 'react';

/** Returns the value, once it has stayed the same for that long. */
export function useSettled<T>(value: T, milliseconds: number): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), milliseconds);
    return () => clearTimeout(timer);
  }, [value, milliseconds]);
  return settled;
}
