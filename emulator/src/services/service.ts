/** A running emulated service. */
export interface Started {
  /** Stops listening, ends child processes, flushes. Idempotent. */
  stop(): Promise<void>;
}

/** A service at `endpoint`: `http://127.0.0.1:PORT`. */
export interface Listening extends Started {
  readonly endpoint: string;
}
