/**
 * Consumes the stream of the ApiKeys table: after a change of a key, cached copies of it are out of
 * date, and its channels are reviewed. A record only says which key changed: the key is read as it
 * is now.
 */
import type { DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda';
import type { Rates } from '../../core/access/ports';
import { type RevocationDeps, reviewChannels } from '../../core/channel/revocation';
import { forEachConcurrently } from '../../core/concurrency';
import { FailureCollector } from '../../core/failure-collector';
import { stopAt } from '../../core/stop-signal';

type Deps = RevocationDeps & { readonly rates: Pick<Rates, 'markChanged'> };

/**
 * Time budget of one invocation out of the function's minute. The next one does the rest: Lambda
 * repeats the batch from the record that is reported as failed.
 */
const REVIEW_MS = 40_000;

const CONCURRENT_MARKS = 16;

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
export function createRevocation(deps: Deps) {
  return async (event: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> => {
    const end = stopAt(deps.clock, deps.clock.now() + REVIEW_MS);
    const changed = changedKeys(event);
    const marks = new FailureCollector(deps.log, 'revocation_failed');
    await forEachConcurrently([...changed], CONCURRENT_MARKS, async ([keyId, { isNew }]) => {
      if (isNew) return;
      const mark = () => deps.rates.markChanged(keyId, deps.clock.now());
      await marks.run(keyId, { keyId }, mark);
    });
    const left = await reviewChannels(deps, [...changed.keys()], end);
    const failed = [...changed].filter(([id]) => left.has(id) || marks.subjects.has(id));
    return {
      batchItemFailures: failed.map(([, { sequence }]) => ({ itemIdentifier: sequence })),
    };
  };
}

/** By the key's id: each key is reviewed once, as it is now. */
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
