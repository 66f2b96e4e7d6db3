/**
 * Ends the channels of changed API keys that no longer permit them. A key may have thousands, and
 * docs/api.md promises that all are closed within seconds.
 */
import { isUsable } from '../access/authentication';
import { forEachConcurrently } from '../concurrency';
import { FailureCollector } from '../failure-collector';
import { NEVER_STOP, type StopSignal } from '../stop-signal';
import type { Log } from '../system';
import { isPermitted, type ReviewDeps, sayUnauthorized, untilClosable } from './closing';
import { endConnection } from './connection-slots';

export type RevocationDeps = ReviewDeps & { readonly log: Log };

/** Calls at a time: below the sockets of the gateway's client, whose calls would time out. */
const CONCURRENT_CALLS = 64;
const CONCURRENT_KEYS = 8;

/**
 * Channels that are closed together. Their clients have the grace at the same time; the channels of
 * the next round get `goodbye` after it.
 */
const ROUND = 1_000;

interface KeyConnection {
  readonly keyId: string;
  readonly connectionId: string;
}

/**
 * Closes the channels that were opened with the keys and that the keys no longer permit. Returns
 * the keys of which it may have left channels open, because a call failed or `signal` aborted: the
 * caller repeats the review of those, and finds only what is left. AWS calls: 1 GetItem and 1 Query
 * per key; per channel those of `isPermitted` unless the key is revoked or has expired, and for one
 * that is closed 1 POST, 1 DELETE and those of endConnection.
 */
export async function reviewChannels(
  deps: RevocationDeps,
  keyIds: readonly string[],
  signal: StopSignal = NEVER_STOP,
): Promise<ReadonlySet<string>> {
  const failures = new FailureCollector(deps.log, 'revocation_failed');
  const unpermitted: KeyConnection[] = [];
  await forEachConcurrently(keyIds, CONCURRENT_KEYS, async (keyId) => {
    await failures.run(keyId, { keyId }, async () => {
      unpermitted.push(...(await unpermittedOf(deps, keyId, failures)));
    });
  });
  const left = new Set<string>();
  for (let at = 0; at < unpermitted.length; at += ROUND) {
    const round = unpermitted.slice(at, at + ROUND);
    if (signal.aborted) for (const { keyId } of round) left.add(keyId);
    else await closeTogether(deps, round, failures);
  }
  if (left.size > 0) deps.log.info('revocation_continues', { keyIds: [...left] });
  return new Set([...failures.subjects, ...left]);
}

async function unpermittedOf(
  deps: ReviewDeps,
  keyId: string,
  failures: FailureCollector,
): Promise<KeyConnection[]> {
  const key = await deps.apiKeys.get(keyId);
  const ids = await deps.subscriptions.connectionsOf(keyId);
  const all = ids.map((connectionId) => ({ keyId, connectionId }));
  if (!key || !isUsable(key, deps.clock.now())) return all;
  const found: KeyConnection[] = [];
  await forEachConcurrently(all, CONCURRENT_CALLS / CONCURRENT_KEYS, async (one) => {
    await failures.run(keyId, { ...one }, async () => {
      if (!(await isPermitted(deps, one.connectionId, async () => key))) found.push(one);
    });
  });
  return found;
}

/**
 * The rows are removed last: each is three writes, and for most of them $disconnect has made them
 * meanwhile.
 */
async function closeTogether(
  deps: RevocationDeps,
  round: readonly KeyConnection[],
  failures: FailureCollector,
): Promise<void> {
  const toAll = async (call: (connectionId: string) => Promise<unknown>) => {
    await forEachConcurrently(round, CONCURRENT_CALLS, async (one) => {
      await failures.run(one.keyId, { ...one }, () => call(one.connectionId));
    });
  };
  const saidAt = new Map<string, number>();
  await toAll(async (id) => {
    saidAt.set(id, deps.clock.now());
    await sayUnauthorized(deps, id);
  });
  await toAll(async (id) => {
    await untilClosable(deps, saidAt.get(id) ?? 0);
    await deps.channels.disconnect(id);
  });
  await toAll((id) => endConnection(deps, id));
}
