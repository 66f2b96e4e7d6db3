/**
 * Follows the stream of the ApiKeys table: whoever changed a key, what was read of it before counts
 * no more, and its channels are looked through. A record is only a wake-up: the key is read as it
 * is now.
 */
import type { DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda';
import type { Rates } from '../../core/access/ports';
import { type RevocationDeps, reviewChannels } from '../../core/channel/revocation';
import type { Log } from '../../core/system';

interface Deps extends RevocationDeps {
  readonly rates: Pick<Rates, 'markChanged'>;
  readonly log: Log;
}

interface Changed {
  /**
   * Of the key's first record in the batch: from there on it is delivered again when the work
   * fails.
   */
  readonly sequence: string;
  /** Of a new key nothing was read before. */
  readonly isNew: boolean;
}

/**
 * AWS calls for each key of the batch, however often it changed: 1 UpdateItem unless it is new, and
 * those of `reviewChannels`.
 */
export function createRevocation(deps: Deps) {
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

/** By the key's id. Two reviews of one key at a time would both take leave of its channels. */
function changedKeys({ Records }: DynamoDBStreamEvent): ReadonlyMap<string, Changed> {
  const changed = new Map<string, Changed>();
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
