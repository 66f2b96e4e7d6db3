import type { Change, StowageClient } from '@stowage/client';
import { useMemo } from 'react';
import { useStowageClient } from './client-context';
import { Follower, useFollower } from './follower';

/** Which changes to show. */
export interface FollowingOptions {
  /** Only keys that begin with it. @default every key */
  readonly prefix?: string | undefined;
  /** Changes after this cursor of the bucket. @default from now */
  readonly cursor?: number | undefined;
  /** How many of the newest changes are kept. @default 100 */
  readonly limit?: number | undefined;
}

interface State {
  /** The newest changes, newest first; changes of one commit come together. */
  readonly changes: readonly Change[];
  /** Whether the channel is open; the client opens it again by itself. */
  readonly isConnected: boolean;
  /**
   * Whether changes before the shown ones were missed, because the service no longer keeps them.
   */
  readonly hasGap: boolean;
  /** Why the bucket is not followed any more: a StowageError. */
  readonly error: unknown;
}

/** The changes of a bucket, and `retry`, which follows them again after an error. */
export interface Following extends State {
  /** Follows again after an error. */
  readonly retry: () => void;
}

/** Returns the newest changes of a bucket, each once and in order, and renders again at each. */
export function useChanges(bucket: string, options: FollowingOptions = {}): Following {
  const client = useStowageClient();
  const { prefix, cursor, limit = 100 } = options;
  const store = useMemo(
    () => new ChangesStore(client, bucket, { prefix, cursor, limit }),
    [client, bucket, prefix, cursor, limit],
  );
  return useFollower(store);
}

class ChangesStore extends Follower<State> {
  readonly #client: StowageClient;
  readonly #bucket: string;
  readonly #options: FollowingOptions & { readonly limit: number };
  /** Where the changes continue. */
  #held: { readonly cursor?: number | undefined; readonly bucketId?: string };

  constructor(
    client: StowageClient,
    bucket: string,
    options: FollowingOptions & { readonly limit: number },
  ) {
    super({ changes: [], isConnected: false, hasGap: false, error: undefined });
    this.#client = client;
    this.#bucket = bucket;
    this.#options = options;
    this.#held = { cursor: options.cursor };
  }

  protected async follow(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const from = { ...this.#held, prefix: this.#options.prefix };
      const subscription = this.#client.sync({ [this.#bucket]: from }, { signal });
      let pending: Change[] = [];
      for await (const event of subscription.events()) {
        if (signal.aborted) return;
        if (event.type === 'status') this.change({ isConnected: event.status === 'connected' });
        else if (event.type === 'ended') throw event.error;
        else if (event.type === 'reset') {
          this.#held = {};
          this.change({ changes: [], hasGap: true });
        } else if (event.type === 'cursor') {
          const { cursor, bucketId } = event;
          this.#held = { cursor, bucketId };
          if (pending.length > 0) this.#show(pending);
          pending = [];
        } else pending.push(event);
      }
    }
  }

  #show(pending: readonly Change[]): void {
    const changes = [...pending].reverse().concat(this.state().changes);
    this.change({ changes: changes.slice(0, this.#options.limit) });
  }
}
