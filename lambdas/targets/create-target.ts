/** A target from its settings: how much it is sent at once, and how long that may take. */
import type { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import type { SQSClient } from '@aws-sdk/client-sqs';
import type { Clock } from '../../core/system';
import type { Target } from '../../core/targets/ports';
import { BusTarget } from './bus-target';
import { FunctionTarget } from './function-target';
import { QueueTarget } from './queue-target';
import { createLambdaClient } from './target-clients';
import type { TargetSettings } from './target-settings';

export interface TargetDeps {
  readonly sqs: SQSClient;
  readonly eventBridge: EventBridgeClient;
  readonly clock: Pick<Clock, 'now'>;
}

/** Added to a function's own timeout, for its start and the network. */
const START_MS = 20_000;
const REQUEST_MS = 30_000;

export function createTarget(
  { sqs, eventBridge, clock }: TargetDeps,
  { kind, address, timeout = 60, ...settings }: TargetSettings,
): Target {
  if (kind === 'function') {
    const timeoutMs = timeout * 1000 + START_MS;
    const target = new FunctionTarget(createLambdaClient(timeoutMs), address);
    return { ...settings, maxBatchSize: 100, timeoutMs, send: target.send.bind(target) };
  }
  const target =
    kind === 'queue'
      ? new QueueTarget(sqs, address, clock)
      : new BusTarget(eventBridge, address, clock);
  return { ...settings, maxBatchSize: 1, timeoutMs: REQUEST_MS, send: target.send.bind(target) };
}
