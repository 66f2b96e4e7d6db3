import { LongPoll } from '../core/channel/long-poll';
import { ratesOf } from '../core/limits';
import { admitKeys } from './admit-keys';
import { type App, createApp } from './http/app';
import type { ChangesDeps } from './operations/deps';
import { handleReadChanges, type WaitingOf } from './operations/read-changes';
import { STORAGE_ROUTES } from './routes/routes';

/** Pages of changes for callers with API keys, which may wait for a change. */
export function createChanges(deps: ChangesDeps): App {
  const waitingOf: WaitingOf = (caller, { bucket, prefix }) => {
    const { keyId, generation, restriction, tier } = caller;
    const key = ratesOf(deps.rateTiers, tier).wait.concurrent;
    const limits = { key, service: deps.maxWaiting };
    return new LongPoll(deps, { keyId, generation, restriction, bucket, prefix, limits });
  };
  const operations = { sync: { GET: handleReadChanges(deps, waitingOf) } };
  return createApp(deps, { routes: STORAGE_ROUTES, operations, admit: admitKeys(deps) });
}
