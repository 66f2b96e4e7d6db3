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
  const follow = () => controller.abort(signal?.reason);
  if (signal?.aborted) follow();
  signal?.addEventListener('abort', follow, { once: true });
  return {
    signal: controller.signal,
    abort: (reason) => controller.abort(reason),
    detach: () => signal?.removeEventListener('abort', follow),
  };
}
