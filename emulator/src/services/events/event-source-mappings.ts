/** AWS::Lambda::EventSourceMapping: DynamoDB streams and SQS queues that invoke functions. */

import { UserError } from '../../errors/user-error';
import type { ResolvedResource } from '../../template/model';
import { optionalText, resourcesOfType, textProperty } from '../../template/resources';
import type { Started } from '../service';
import type { EventSourceMappingsOptions, Trigger } from './mapping';
import { createQueueTrigger } from './queue-mapping';
import { createStreamTrigger } from './stream-mapping';

/**
 * Starts every mapping of the stack. Throws UserError, before any of them runs, for a mapping that
 * AWS would refuse to create.
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
    `${resource.logicalId}.EventSourceArn: the emulator supports DynamoDB streams and SQS queues only`,
  );
}
