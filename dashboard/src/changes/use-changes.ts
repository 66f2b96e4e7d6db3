/** Subscribes to a bucket while its page is shown, with `sync()` of the published client. */
import { useEffect, useReducer, useRef, useState } from 'react';
import type { SubscriptionEvent } from '../../../client/channel/events';
import type { BucketProgress } from '../../../client/channel/subscription';
import type { StorageApi } from '../api/storage';
import { useSession, useSignedIn } from '../session/session-context';
import { type ChangeWindow, EMPTY_WINDOW, withEvents } from './change-window';

export interface Following extends ChangeWindow {
  readonly progress?: BucketProgress;
  readonly error?: unknown;
}

/** How often new events are rendered, in milliseconds. */
const DRAW_MS = 200;

type Draw = { readonly events: readonly SubscriptionEvent[]; readonly progress?: BucketProgress };

/**
 * `from`: a cursor; undefined: from now on. Another `from` or `attempt` starts a new subscription.
 */
export function useChanges(bucket: string, from: number | undefined, attempt: number): Following {
  const { storage } = useSession();
  const { epoch } = useSignedIn();
  const [drawn, draw] = useReducer(drawnWith, EMPTY_WINDOW);
  const [error, setError] = useState<unknown>();
  // The cursor that this page has reached. It outlives the keys of the session.
  const reached = useRef<BucketProgress>(undefined);
  // Another attempt subscribes again; another sign-in continues.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  useEffect(() => {
    const controller = new AbortController();
    setError(undefined);
    const { signal } = controller;
    follow({ storage, bucket, from, reached, draw, signal }).catch((failure: unknown) => {
      if (!signal.aborted) setError(failure);
    });
    return () => controller.abort();
  }, [storage, bucket, from, attempt, epoch]);
  return { ...drawn, ...(error !== undefined && { error, status: 'ended' as const }) };
}

function drawnWith(before: Following, { events, progress }: Draw): Following {
  return { ...withEvents(before, events), progress: progress ?? before.progress };
}

interface FollowOptions {
  readonly storage: StorageApi;
  readonly bucket: string;
  readonly from: number | undefined;
  readonly reached: { current: BucketProgress | undefined };
  readonly draw: (draw: Draw) => void;
  readonly signal: AbortSignal;
}

/** Continues from `reached` with a new key when the key of the session has expired. */
async function follow(options: FollowOptions): Promise<void> {
  const { storage, bucket, from, reached, draw, signal } = options;
  const client = await storage.client();
  if (signal.aborted) return;
  const { cursor = from, bucketId } = reached.current ?? {};
  const subscription = client.sync({ [bucket]: { cursor, bucketId } }, { signal });
  let waiting: SubscriptionEvent[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  const flush = () => {
    timer = undefined;
    if (signal.aborted) return;
    reached.current = subscription.progress(bucket);
    draw({ events: waiting, progress: reached.current });
    waiting = [];
  };
  try {
    for await (const event of subscription.events()) {
      waiting.push(event);
      timer ??= setTimeout(flush, DRAW_MS);
    }
  } finally {
    clearTimeout(timer);
    flush();
  }
}
