/** AWS::Events::Rule with an event pattern: the functions and queues that get events of a bus. */

import { UserError } from '../../errors/user-error';
import type { ResolvedResource, ResolvedStack } from '../../template/model';
import { listProperty, optionalText, resourcesOfType } from '../../template/resources';
import { isRecord } from '../../values/json';
import { type Filter, parsePattern } from './filters';
import type { QueueSource } from './queue-source';

export interface EventTarget {
  readonly arn: string;
  readonly kind: 'function' | 'queue';
  /** Sent instead of the event. */
  readonly input?: string;
}

export interface EventRule {
  readonly logicalId: string;
  readonly arn: string;
  readonly busArn: string;
  readonly matches: Filter;
  readonly targets: readonly EventTarget[];
}

/** Throws UserError for what is not emulated. */
export function eventRules(
  stack: ResolvedStack,
  queues: QueueSource | undefined,
): readonly EventRule[] {
  return resourcesOfType(stack, 'AWS::Events::Rule')
    .filter(({ properties }) => properties.EventPattern !== undefined)
    .filter(({ properties }) => properties.State !== 'DISABLED')
    .map((resource) => ({
      logicalId: resource.logicalId,
      arn: resource.arn ?? '',
      busArn: busArn(stack, optionalText(resource, 'EventBusName')),
      matches: parsePattern(resource.properties.EventPattern, `${resource.logicalId}.EventPattern`),
      targets: listProperty(resource, 'Targets').map((target, index) =>
        parseTarget(resource, target, index, queues),
      ),
    }));
}

/** The ARN of a bus from its name or ARN; by default that of the account's default bus. */
export function busArn({ region, accountId }: ResolvedStack, name = 'default'): string {
  return name.startsWith('arn:') ? name : `arn:aws:events:${region}:${accountId}:event-bus/${name}`;
}

function parseTarget(
  { logicalId }: ResolvedResource,
  target: unknown,
  index: number,
  queues: QueueSource | undefined,
): EventTarget {
  const where = `${logicalId}.Targets[${index}]`;
  const arn = isRecord(target) && typeof target.Arn === 'string' ? target.Arn : '';
  const input = isRecord(target) && typeof target.Input === 'string' ? target.Input : undefined;
  if (/^arn:aws:lambda:/.test(arn)) return { arn, kind: 'function', input };
  const queue = /^arn:aws:sqs:/.test(arn) ? queues?.describe(arn) : undefined;
  if (queue === undefined || queue.fifo !== undefined) {
    throw new UserError(
      `${where}.Arn: the emulator sends events to functions and standard queues of the stack only, not to ${arn}`,
    );
  }
  return { arn, kind: 'queue', input };
}
