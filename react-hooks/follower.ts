/** The base of the hooks' stores, which follow a bucket while a component shows it. */
import { useMemo, useSyncExternalStore } from 'react';

/** A state for `useSyncExternalStore`, and the work that changes it while a component shows it. */
export abstract class Follower<State extends { readonly error?: unknown }> {
  readonly #listeners = new Set<() => void>();
  #state: State;
  #running: AbortController | undefined;

  constructor(initial: State) {
    this.#state = initial;
  }

  /** Follows until the signal is aborted. A later call continues where the last one ended. */
  protected abstract follow(signal: AbortSignal): Promise<void>;

  readonly state = (): State => this.#state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    if (this.#listeners.size === 1) this.#start();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.#stop();
    };
  };

  /** Follows again after an error. */
  readonly retry = (): void => {
    if (this.#state.error === undefined) return;
    this.change({ error: undefined } as Partial<State>);
    if (this.#listeners.size > 0) this.#start();
  };

  protected change(change: Partial<State>): void {
    this.#state = { ...this.#state, ...change };
    for (const listener of this.#listeners) listener();
  }

  #start(): void {
    this.#stop();
    const running = new AbortController();
    this.#running = running;
    this.follow(running.signal).catch((error: unknown) => {
      if (!running.signal.aborted) this.change({ error } as Partial<State>);
    });
  }

  #stop(): void {
    this.#running?.abort();
    this.#running = undefined;
  }
}

/** Renders again whenever the state changes, and returns it with the store's `retry`. */
export function useFollower<State extends { readonly error?: unknown }>(
  store: Follower<State>,
): State & { readonly retry: () => void } {
  const state = useSyncExternalStore(store.subscribe, store.state, store.state);
  return useMemo(() => ({ ...state, retry: store.retry }), [state, store]);
}
