/**
 * What the function admin does with keys, without the tokens of its callers, and the function
 * revocation behind the stream of the keys.
 */
import type { DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda';
import type { KeySettings } from '../../../core/access/key-settings';
import {
  changeKey,
  createKey,
  type KeysDeps,
  revokeKey,
  rotateKey,
  type SettingsChange,
} from '../../../core/access/keys';
import { createRevocation } from '../../../lambdas/revocation/app';
import type { Ports } from './environment';
import { SHARDS, StreamConsumer } from './event-sources';
import { LambdaFunction, type Outcome } from './lambda-function';
import type { Simulation } from './simulation';

export type KeyTask =
  | { readonly op: 'create'; readonly settings: KeySettings }
  | { readonly op: 'change'; readonly id: string; readonly change: SettingsChange }
  | { readonly op: 'rotate'; readonly id: string; readonly overlapSeconds: number }
  | { readonly op: 'revoke'; readonly id: string };

/** The id of the key, and the key itself when it has a new secret. */
export interface ChangedKey {
  readonly id: string;
  readonly text?: string;
}

export type AdminFunction = LambdaFunction<KeyTask, ChangedKey>;

const ADMINISTRATOR = { id: 'administrator', name: 'administrator' };

export function startKeyAdministration(
  simulation: Simulation,
  depsOf: (ports: Ports) => Ports,
): AdminFunction {
  const revocation = new LambdaFunction<DynamoDBStreamEvent, DynamoDBBatchResponse>(simulation, {
    ...{ name: 'revocation', timeoutMs: 60_000, concurrency: 10 },
    start: (ports) => createRevocation(depsOf(ports)),
  });
  const isDone = (outcome: Outcome<DynamoDBBatchResponse>) =>
    'result' in outcome && outcome.result.batchItemFailures.length === 0;
  const stream = new StreamConsumer(simulation, revocation, isDone, 'revocation');
  simulation.onKey = (id, isNew) => {
    const shard = (id.codePointAt(0) ?? 0) % SHARDS;
    const eventName = isNew ? 'INSERT' : 'MODIFY';
    stream.add(shard, { eventName, dynamodb: { Keys: { id: { S: id } } } });
  };
  return new LambdaFunction<KeyTask, ChangedKey>(simulation, {
    ...{ name: 'admin', timeoutMs: 29_000, concurrency: 10 },
    start: (ports) => (task) => perform(depsOf(ports), task),
  });
}

async function perform(deps: KeysDeps, task: KeyTask): Promise<ChangedKey> {
  switch (task.op) {
    case 'create': {
      const { key, text } = await createKey(deps, ADMINISTRATOR, task.settings);
      return { id: key.id, text };
    }
    case 'rotate': {
      const { text } = await rotateKey(deps, ADMINISTRATOR, task.id, task.overlapSeconds);
      return { id: task.id, text };
    }
    case 'change':
      await changeKey(deps, ADMINISTRATOR, task.id, task.change);
      return { id: task.id };
    case 'revoke':
      await revokeKey(deps, ADMINISTRATOR, task.id);
      return { id: task.id };
  }
}
