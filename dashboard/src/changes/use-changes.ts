/** Follows a bucket for as long as its page is shown, by the published client's own sync. */
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

/** How often what has come is drawn, milliseconds. */
const DRAW_MS = 200;

type Draw = { readonly events: readonly SubscriptionEvent[]; readonly progress?: BucketProgress };

/**
 * `from`: a position, or undefined for from now on; another one begins anew, and so does another
 * `round`.
 */
export function useChanges(bucket: string, from: number | undefined, round: number): Following {
  const { storage } = useSession();
  const { epoch } = useSignedIn();
  const [drawn, draw] = useReducer(drawnWith, EMPTY_WINDOW);
  const [error, setError] = useState<unknown>();
  // Of this page, whatever key it is followed with.
  const reached = useRef<BucketProgress>(undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another round follows anew, another sign-in goes on
  useEffect(() => {
    const controller = new AbortController();
    setError(undefined);
    const start = { from, reached };
    follow(storage, bucket, start, draw, controller.signal).catch((failure: unknown) => {
      if (!controller.signal.aborted) setError(failure);
    });
    return () => controller.abort();
  }, [storage, bucket, from, round, epoch]);
  return { ...drawn, ...(error !== undefined && { error, status: 'ended' as const }) };
}

function drawnWith(before: Following, { events, progress }: Draw): Following {
  return { ...withEvents(before, events), progress: progress ?? before.progress };
}

interface Start {
  readonly from: number | undefined;
  readonly reached: { current: BucketProgress | undefined };
}

/** Goes on with another key when the one of the session has come to its end. */
async function follow(
  storage: StorageApi,
  bucket: string,
  { from, reached }: Start,
  draw: (draw: Draw) => void,
  signal: AbortSignal,
): Promise<void> {
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
