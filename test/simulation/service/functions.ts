/** The functions of the service, as their handlers make them, and what invokes them. */
import type { DynamoDBBatchResponse, S3Event } from 'aws-lambda';
import type { TierRates } from '../../../core/limits';
import { createChannel } from '../../../lambdas/channel/app';
import { createFanout, type FanoutEvent } from '../../../lambdas/fanout/app';
import { createIngest } from '../../../lambdas/ingest/app';
import { createJanitor } from '../../../lambdas/janitor/app';
import { createTargets } from '../../../lambdas/targets/app';
import { ChannelGateway } from './channel-gateway';
import { ContentBucket } from './content-bucket';
import { type DepsOf, depsIn, UNLIMITED } from './deployment';
import { changeStream, TaskQueue } from './event-sources';
import { startHttpFunctions } from './http-functions';
import { startKeyAdministration } from './key-administration';
import { LambdaFunction, type Outcome } from './lambda-function';
import type { Simulation } from './simulation';
import { TargetReceiver } from './target-receiver';

export type Service = ReturnType<typeof startFunctions>;

export interface FunctionsOptions {
  /** Of every key. */
  readonly rates?: TierRates;
  /** Whether the deployment has a target of `onChange`. */
  readonly hasTarget?: boolean;
}

export function startFunctions(
  simulation: Simulation,
  { rates = UNLIMITED, hasTarget = true }: FunctionsOptions = {},
) {
  const depsOf: DepsOf = (ports) => depsIn(ports, rates);
  const channel = new LambdaFunction(simulation, {
    ...{ name: 'channel', timeoutMs: 29_000, concurrency: 50 },
    start: (ports) => createChannel(depsOf(ports)),
  });
  const fanout = new LambdaFunction<FanoutEvent, DynamoDBBatchResponse>(simulation, {
    ...{ name: 'fanout', timeoutMs: 60_000, concurrency: 50 },
    start: (ports) => createFanout(depsOf(ports)),
  });
  const janitor = new LambdaFunction<{ task: string }, void>(simulation, {
    ...{ name: 'janitor', timeoutMs: 900_000, concurrency: 5 },
    start: (ports) => {
      const run = createJanitor(depsOf(ports));
      return (event, context) => run(event, context as Parameters<typeof run>[1]);
    },
  });
  const receiver = new TargetReceiver(simulation);
  const targets = new LambdaFunction<object, DynamoDBBatchResponse | undefined>(simulation, {
    ...{ name: 'targets', timeoutMs: 900_000, concurrency: 10 },
    start: (ports) => createTargets({ ...depsOf(ports), targets: [receiver.reachedFrom(ports)] }),
  });
  // An asynchronous invocation without repetitions, as lib/targets makes it.
  simulation.onTargetTask = (task) =>
    simulation.time.after(20, () => targets.invoke({ task: 'notify', ...task }, () => undefined));
  const ingest = new LambdaFunction<S3Event, void>(simulation, {
    ...{ name: 'ingest', timeoutMs: 60_000, concurrency: 10 },
    start: (ports) => createIngest(() => depsOf(ports)),
  });
  const isDone = (outcome: Outcome<DynamoDBBatchResponse>) =>
    'result' in outcome && outcome.result.batchItemFailures.length === 0;
  const isTold = (outcome: Outcome<DynamoDBBatchResponse | undefined>) =>
    'result' in outcome && outcome.result?.batchItemFailures.length === 0;
  return {
    http: startHttpFunctions(simulation, depsOf),
    admin: startKeyAdministration(simulation, depsOf),
    channels: new ChannelGateway(simulation, channel),
    janitor,
    targets,
    receiver,
    s3: new ContentBucket(simulation, ingest),
    stream: changeStream(simulation, fanout, { name: 'fanout', isDone }),
    targetStream:
      hasTarget && changeStream(simulation, targets, { name: 'targets', isDone: isTold }),
    queue: new TaskQueue(simulation, fanout, isDone),
  };
}
