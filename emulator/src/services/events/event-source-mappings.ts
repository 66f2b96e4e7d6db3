/** AWS::Lambda::EventSourceMapping: DynamoDB streams and SQS queues that invoke functions. */
import type { Iam } from '../../iam/iam';
import type { ResolvedResource, ResolvedStack } from '../../template/model';
import { optionalText, resourcesOfType, textProperty } from '../../template/resources';
import { UserError } from '../../user-error';
import type { LambdaService } from '../lambda/lambda';
import type { Started } from '../service';
import { createQueueTrigger } from './queue-mapping';
import type { QueueSource } from './queue-source';
import { createStreamTrigger } from './stream-mapping';
import type { StreamSource } from './stream-source';

export interface EventSourceMappingsOptions {
  readonly stack: ResolvedStack;
  readonly iam: Iam;
  readonly lambda: LambdaService;
  readonly streams: StreamSource;
  /** Absent: the stack has no queues. */
  readonly queues?: QueueSource;
  /** Milliseconds between polls of a stream. Default 250, as AWS. */
  readonly pollInterval?: number;
  /** Milliseconds before the first retry of a failed batch of a stream. Default 250. */
  readonly retryDelay?: number;
}

/** What one mapping runs. */
export interface Trigger {
  start(): void;
  /**
   * Waits for the invocations under way. What they were given is delivered again if it has not been
   * done with.
   */
  stop(): Promise<void>;
}

/**
 * Starts every mapping of the stack. Throws UserError for what AWS would refuse to create; nothing
 * runs then.
 */
export function startEventSourceMappings(options: EventSourceMappingsOptions): Started {
  const triggers = resourcesOfType(options.stack, 'AWS::Lambda::EventSourceMapping')
    .filter((resource) => optionalText(resource, 'Enabled') !== 'false')
    .map((resource) => createTrigger(resource, options));
  for (const trigger of triggers) trigger.start();
  return {
    async stop() {
      await Promise.all(triggers.map((trigger) => trigger.stop()));
    },
  };
}

function createTrigger(resource: ResolvedResource, options: EventSourceMappingsOptions): Trigger {
  const arn = textProperty(resource, 'EventSourceArn');
  if (/^arn:aws:dynamodb:.*\/stream\//.test(arn)) return createStreamTrigger(resource, options);
  if (/^arn:aws:sqs:/.test(arn)) return createQueueTrigger(resource, options);
  throw new UserError(
    `${resource.logicalId}.EventSourceArn: the local runtime knows DynamoDB streams and SQS queues only`,
  );
}

/**
 * Throws UserError naming the properties that AWS does not take for this kind of source, or that
 * are not emulated with it.
 */
export function refuseOthers(
  { logicalId, properties }: ResolvedResource,
  known: readonly string[],
  source: string,
): void {
  const others = Object.keys(properties).filter((name) => !known.includes(name));
  if (others.length === 0) return;
  throw new UserError(`${logicalId}: ${others.join(', ')}: not for ${source}`);
}
