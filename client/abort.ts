/**
 * A signal that is aborted with another one, or alone. Signals of AbortSignal.any would stay in
 * memory for as long as the caller's signal.
 */
export interface LinkedSignal {
  readonly signal: AbortSignal;
  /** Aborts only this signal. */
  readonly abort: (reason?: unknown) => void;
  /** Removes the listener from the other signal, which this one then ignores. */
  readonly detach: () => void;
}

export function linkedTo(signal: AbortSignal | undefined): LinkedSignal {
  const controller = new AbortController();
  return {
    signal: controller.signal,
    abort: (reason) => controller.abort(reason),
    detach: onAbort(signal, () => controller.abort(signal?.reason)),
  };
}

/** What a signal calls, as the one listener that it has. */
class Followers extends Set<() => void> {
  handleEvent(): void {
    for (const call of this) call();
  }
}

const followersOf = new WeakMap<AbortSignal, Followers>();

/**
 * Calls `work` when the signal is aborted: at once if it is already. Returns a function that ends
 * this. A signal has one listener for all of its calls, because Node.js warns of a leak when it has
 * more than ten.
 */
export function onAbort(signal: AbortSignal | undefined, work: () => void): () => void {
  if (signal?.aborted) work();
  if (!signal || signal.aborted) return () => {};
  const followers = followersOf.get(signal) ?? new Followers();
  followersOf.set(signal, followers);
  signal.addEventListener('abort', followers, { once: true });
  followers.add(work);
  return () => {
    followers.delete(work);
    // Stays in the map: the next call takes it again.
    if (followers.size === 0) signal.removeEventListener('abort', followers);
  };
}

/**
 * A promise that is rejected with the reason of the signal. It need not be awaited. Call `detach`
 * when it is no longer needed.
 */
export function rejectedBy(signal: AbortSignal) {
  let detach = () => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    detach = onAbort(signal, () => reject(signal.reason));
  });
  aborted.catch(() => undefined);
  return { aborted, detach };
}
