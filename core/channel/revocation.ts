/**
 * Ends the channels of changed API keys that no longer permit them. A key may have thousands, and
 * docs/api.md promises that all are closed within seconds.
 */
import { isUsable } from '../access/authentication';
import { forEachConcurrently } from '../concurrency';
import { FailureCollector } from '../failure-collector';
import { NEVER_STOP, type StopSignal, stopAt } from '../stop-signal';
import type { Log } from '../system';
import { isPermitted, type ReviewDeps, sayUnauthorized, untilClosable } from './closing';
import { endConnection } from './connection-slots';

export type RevocationDeps = ReviewDeps & { readonly log: Log };

/** Concurrent calls, each with a connection to the gateway. */
const CONCURRENT_CALLS = 64;
const CONCURRENT_KEYS = 8;

/**
 * Channels that are closed together: their clients have the same second to close the connection
 * themselves. The next round begins when all of this one are closed.
 */
const ROUND = 1_000;

/**
 * Time after which no more goodbyes begin. A post to a client that does not read takes 1.5 s, and
 * many of these would delay closing the other channels. A channel without goodbye is disconnected
 * all the same.
 */
const GOODBYES_MS = 2_000;

interface KeyConnection {
  readonly keyId: string;
  readonly connectionId: string;
  /** The key is revoked, so its slots need not be released. */
  readonly isRevoked: boolean;
}

/**
 * Closes the channels that were opened with the keys and that the keys no longer permit. Returns
 * the keys that may still have open channels, because a call failed or `signal` aborted; the caller
 * repeats the review of those keys. AWS calls: 1 GetItem and 1 Query per key; per channel those of
 * `isPermitted` unless the key is revoked or has expired, and for one that is closed at most 1
 * POST, 1 DELETE and those of endConnection; for a revoked key, whose slots are left to expire,
 * those of closeMany instead of endConnection.
 */
export async function reviewChannels(
  deps: RevocationDeps,
  keyIds: readonly string[],
  signal: StopSignal = NEVER_STOP,
): Promise<ReadonlySet<string>> {
  const failures = new FailureCollector(deps.log, 'revocation_failed');
  const unpermitted: KeyConnection[] = [];
  const left = new Set<string>();
  await forEachConcurrently(keyIds, CONCURRENT_KEYS, async (keyId) => {
    await failures.run(keyId, { keyId }, async () => {
      const found = await unpermittedOf(deps, keyId, { failures, signal });
      unpermitted.push(...found.unpermitted);
      if (!found.isComplete) left.add(keyId);
    });
  });
  for (let at = 0; at < unpermitted.length; at += ROUND) {
    const round = unpermitted.slice(at, at + ROUND);
    if (signal.aborted) for (const { keyId } of round) left.add(keyId);
    else await closeTogether(deps, round, failures);
  }
  if (left.size > 0) deps.log.info('revocation_continues', { keyIds: [...left] });
  return new Set([...failures.subjects, ...left]);
}

/**
 * Returns the channels that their keys no longer permit. `isComplete` is false when the signal
 * aborted before every channel was reviewed.
 */
async function unpermittedOf(
  deps: ReviewDeps,
  keyId: string,
  { failures, signal }: { readonly failures: FailureCollector; readonly signal: StopSignal },
): Promise<{ readonly unpermitted: readonly KeyConnection[]; readonly isComplete: boolean }> {
  const key = await deps.apiKeys.get(keyId);
  const ids = await deps.subscriptions.connectionsOf(keyId);
  const isRevoked = key?.revokedAt !== undefined;
  const all = ids.map((connectionId) => ({ keyId, connectionId, isRevoked }));
  if (!key || !isUsable(key, deps.clock.now())) return { unpermitted: all, isComplete: true };
  const unpermitted: KeyConnection[] = [];
  let isComplete = true;
  await forEachConcurrently(all, CONCURRENT_CALLS / CONCURRENT_KEYS, async (one) => {
    if (signal.aborted) {
      isComplete = false;
      return;
    }
    await failures.run(keyId, { keyId, connectionId: one.connectionId }, async () => {
      if (!(await isPermitted(deps, one.connectionId, async () => key))) unpermitted.push(one);
    });
  });
  return { unpermitted, isComplete };
}

/**
 * Closes channels together. The rows are removed first, so that nothing more is pushed and
 * $disconnect has nothing to do. A channel that cannot be disconnected receives nothing; its
 * client's next message ends it.
 */
async function closeTogether(
  deps: RevocationDeps,
  round: readonly KeyConnection[],
  failures: FailureCollector,
): Promise<void> {
  const toAll = async (call: (one: KeyConnection) => Promise<unknown>) => {
    await forEachConcurrently(round, CONCURRENT_CALLS, async (one) => {
      const { keyId, connectionId } = one;
      await failures.run(keyId, { keyId, connectionId }, () => call(one));
    });
  };
  const revoked = new Map<string, string[]>();
  for (const { keyId, connectionId, isRevoked } of round) {
    if (isRevoked) revoked.set(keyId, [...(revoked.get(keyId) ?? []), connectionId]);
  }
  for (const [keyId, ids] of revoked) {
    await failures.run(keyId, { keyId }, () => deps.subscriptions.closeMany(keyId, ids));
  }
  await toAll(async ({ connectionId, isRevoked }) => {
    if (!isRevoked) await endConnection(deps, connectionId);
  });
  const saidAt = new Map<string, number>();
  const isOver = stopAt(deps.clock, deps.clock.now() + GOODBYES_MS);
  await toAll(async ({ connectionId }) => {
    if (isOver.aborted) return;
    saidAt.set(connectionId, deps.clock.now());
    await sayUnauthorized(deps, connectionId);
  });
  await toAll(async ({ connectionId }) => {
    await untilClosable(deps, saidAt.get(connectionId) ?? 0);
    await deps.channels.disconnect(connectionId);
  });
}
