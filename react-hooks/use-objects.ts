import type { ObjectDescriptor, StowageClient } from '@stowage/client';
import { useMemo } from 'react';
import { useStowageClient } from './client-context';
import { Follower, useFollower } from './follower';

/** Which objects to show. */
export interface LiveObjectsOptions {
  /** Only keys that begin with it. @default every key */
  readonly prefix?: string | undefined;
}

interface State {
  /** The objects of the bucket at `cursor`, in the order of their keys as UTF-8. */
  readonly objects: readonly ObjectDescriptor[];
  /** The cursor at which `objects` is exact; undefined until they are loaded. */
  readonly cursor: number | undefined;
  /** Why the objects are not followed any more: a StowageError. */
  readonly error: unknown;
}

/** The objects of a bucket, and `retry`, which follows them again after an error. */
export interface LiveObjects extends State {
  /** Follows again after an error. */
  readonly retry: () => void;
}

/**
 * Returns the objects of a bucket, and renders again whenever they change. The list is what the
 * bucket held at one cursor, and never shows a part of a commit. While the connection is lost the
 * list stays, and continues by itself.
 */
export function useObjects(bucket: string, options: LiveObjectsOptions = {}): LiveObjects {
  const client = useStowageClient();
  const { prefix } = options;
  const store = useMemo(() => new ObjectsStore(client, bucket, prefix), [client, bucket, prefix]);
  return useFollower(store);
}

class ObjectsStore extends Follower<State> {
  readonly #client: StowageClient;
  readonly #bucket: string;
  readonly #prefix: string | undefined;
  readonly #copy = new Map<string, ObjectDescriptor>();
  /** The cursor from which the copy can be continued. */
  #held: { readonly cursor: number; readonly bucketId: string } | undefined;

  constructor(client: StowageClient, bucket: string, prefix: string | undefined) {
    super({ objects: [], cursor: undefined, error: undefined });
    this.#client = client;
    this.#bucket = bucket;
    this.#prefix = prefix;
  }

  protected async follow(signal: AbortSignal): Promise<void> {
    const options = { ...this.#held, prefix: this.#prefix, signal };
    let hasChanged = true;
    for await (const event of this.#client.mirror(this.#bucket, options)) {
      if (signal.aborted) return;
      if (event.type === 'cursor') {
        const { cursor, bucketId } = event;
        this.#held = { cursor, bucketId };
        this.change({ cursor, ...(hasChanged && { objects: this.#sorted() }) });
        hasChanged = false;
        continue;
      }
      hasChanged = true;
      if (event.type === 'reset') {
        this.#held = undefined;
        this.#copy.clear();
      } else if (event.type === 'delete') this.#copy.delete(event.object.key);
      else this.#copy.set(event.object.key, event.object);
    }
  }

  #sorted(): readonly ObjectDescriptor[] {
    return [...this.#copy.values()].sort((a, b) => compareKeys(a.key, b.key));
  }
}

/** Compares keys by code points, as the service's lists do. `<` would compare UTF-16 units. */
function compareKeys(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a.charCodeAt(at) === b.charCodeAt(at)) at++;
  if (at === a.length || at === b.length) return a.length - b.length;
  return rankOf(a.charCodeAt(at)) - rankOf(b.charCodeAt(at));
}

/** Surrogates stand for the code points above all others. */
function rankOf(unit: number): number {
  return unit >= 0xd800 && unit < 0xe000 ? unit + 0x10000 : unit;
}
