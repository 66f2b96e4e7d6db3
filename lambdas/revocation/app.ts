/**
 * Consumes the stream of the ApiKeys table: after a change of a key, cached copies of it are out of
 * date, and its channels are reviewed. A record only says which key changed: the key is read as it
 * is now.
 */
import type { DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda';
import type { Rates } from '../../core/access/ports';
import { type ReviewDeps, reviewChannels } from '../../core/channel/closing';
import type { Log } from '../../core/system';

interface RevocationDeps extends ReviewDeps {
  readonly rates: Pick<Rates, 'markChanged'>;
  readonly log: Log;
}

interface ChangedKey {
  /** Of the key's first record in the batch; a failed batch is repeated from there on. */
  readonly sequence: string;
  /** No copy of a new key is cached. */
  readonly isNew: boolean;
}

/**
 * AWS calls for each key of the batch, however often it changed: 1 UpdateItem unless it is new, and
 * those of `reviewChannels`.
 */
export function createRevocation(deps: RevocationDeps) {
  return async (event: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> => {
    const reviews = [...changedKeys(event)].map(async ([keyId, { sequence, isNew }]) => {
      try {
        if (!isNew) await deps.rates.markChanged(keyId, deps.clock.now());
        await reviewChannels(deps, keyId);
        return [];
      } catch (error) {
        deps.log.error('revocation_failed', { keyId, error });
        return [{ itemIdentifier: sequence }];
      }
    });
    return { batchItemFailures: (await Promise.all(reviews)).flat() };
  };
}

/** By the key's id: two concurrent reviews of one key would both close its channels. */
function changedKeys({ Records }: DynamoDBStreamEvent): ReadonlyMap<string, ChangedKey> {
  const changed = new Map<string, ChangedKey>();
  for (const { dynamodb, eventName } of Records) {
    const keyId = dynamodb?.Keys?.id?.S;
    const sequence = dynamodb?.SequenceNumber;
    if (keyId === undefined || sequence === undefined) continue;
    const earlier = changed.get(keyId);
    const isNew = eventName === 'INSERT' && (earlier?.isNew ?? true);
    changed.set(keyId, { sequence: earlier?.sequence ?? sequence, isNew });
  }
  return changed;
}
