import { UserError } from '../../errors/user-error';
import type { PolicyDocument } from '../../iam/iam';
import { parsePolicy } from '../../iam/policies';
import type { ResolvedResource, ResolvedStack } from '../../template/model';
import {
  integerProperty,
  listProperty,
  optionalText,
  resourcesOfType,
} from '../../template/resources';
import { isRecord } from '../../values/json';

/** The properties of a queue. Times are in milliseconds. */
export interface QueueDefinition {
  readonly name: string;
  readonly arn: string;
  readonly delay: number;
  readonly visibilityTimeout: number;
  readonly retention: number;
  /** How long a receive waits by default. */
  readonly receiveWait: number;
  /** Bytes. */
  readonly maxMessageBytes: number;
  readonly redrive?: { readonly deadLetterArn: string; readonly maxReceiveCount: number };
  readonly policy?: PolicyDocument;
  /** Only for a FIFO queue. */
  readonly fifo?: FifoSettings;
}

export interface FifoSettings {
  /** A message without a deduplication id gets one from its body. */
  readonly contentBased: boolean;
  /** Where messages with the same deduplication id count as duplicates. */
  readonly scope: 'queue' | 'messageGroup';
}

/**
 * The queues of a stack. Throws UserError for a queue that AWS refuses.
 * https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-sqs-queue.html
 */
export function queueDefinitions(stack: ResolvedStack): readonly QueueDefinition[] {
  const resources = resourcesOfType(stack, 'AWS::SQS::Queue');
  const policies = queuePolicies(stack);
  const arns = resources.map(({ arn }) => arn);
  return resources.map((resource) => {
    const definition = { ...define(resource), policy: policies.get(resource.physicalId) };
    const { redrive } = definition;
    if (redrive?.deadLetterArn.endsWith('.fifo') === (definition.fifo === undefined)) {
      throw new UserError(
        `${resource.logicalId}.RedrivePolicy: a queue and its dead-letter queue must both be FIFO queues or both be standard queues`,
      );
    }
    if (redrive !== undefined && !arns.includes(redrive.deadLetterArn)) {
      throw new UserError(
        `${resource.logicalId}.RedrivePolicy.deadLetterTargetArn: the template has no queue ${redrive.deadLetterArn}`,
      );
    }
    return definition;
  });
}

const NAME = /^[A-Za-z0-9_-]{1,80}$/;
const FIFO_NAME = /^[A-Za-z0-9_-]{1,75}\.fifo$/;

function define(resource: ResolvedResource): QueueDefinition {
  const { logicalId, arn = '' } = resource;
  const name = arn.slice(arn.lastIndexOf(':') + 1);
  const fifo = fifoOf(resource);
  if (!(fifo ? FIFO_NAME : NAME).test(name)) {
    const kind = fifo ? 'FIFO' : 'standard';
    throw new UserError(`${logicalId}: ${name} cannot be the name of a ${kind} queue`);
  }
  const within = (property: string, initial: number, least: number, most: number): number =>
    integerProperty(resource, property, { initial, least, most });
  return {
    name,
    arn,
    delay: within('DelaySeconds', 0, 0, 900) * 1000,
    visibilityTimeout: within('VisibilityTimeout', 30, 0, 43_200) * 1000,
    retention: within('MessageRetentionPeriod', 345_600, 60, 1_209_600) * 1000,
    receiveWait: within('ReceiveMessageWaitTimeSeconds', 0, 0, 20) * 1000,
    maxMessageBytes: within('MaximumMessageSize', 1_048_576, 1024, 1_048_576),
    redrive: redriveOf(resource),
    ...(fifo && { fifo }),
  };
}

function fifoOf(resource: ResolvedResource): FifoSettings | undefined {
  const text = (name: string) => optionalText(resource, name);
  if (text('FifoQueue') === 'true') {
    const scope = text('DeduplicationScope') === 'messageGroup' ? 'messageGroup' : 'queue';
    return { contentBased: text('ContentBasedDeduplication') === 'true', scope };
  }
  for (const name of ['ContentBasedDeduplication', 'DeduplicationScope', 'FifoThroughputLimit']) {
    if (text(name) === undefined || text(name) === 'false') continue;
    throw new UserError(`${resource.logicalId}.${name}: for FIFO queues only`);
  }
  return undefined;
}

function redriveOf({ logicalId, properties }: ResolvedResource): QueueDefinition['redrive'] {
  const { RedrivePolicy: policy } = properties;
  if (policy === undefined) return undefined;
  const { deadLetterTargetArn, maxReceiveCount } = isRecord(policy) ? policy : {};
  const count = Number(maxReceiveCount);
  if (typeof deadLetterTargetArn !== 'string' || !Number.isInteger(count)) {
    throw new UserError(
      `${logicalId}.RedrivePolicy: deadLetterTargetArn and maxReceiveCount are needed`,
    );
  }
  if (count < 1 || count > 1000) {
    throw new UserError(`${logicalId}.RedrivePolicy.maxReceiveCount must be from 1 to 1000`);
  }
  return { deadLetterArn: deadLetterTargetArn, maxReceiveCount: count };
}

/** The policies by the URL of their queue: `Queues` lists URLs. */
function queuePolicies(stack: ResolvedStack): ReadonlyMap<string, PolicyDocument> {
  const policies = new Map<string, PolicyDocument>();
  const queues = resourcesOfType(stack, 'AWS::SQS::Queue').map(({ physicalId }) => physicalId);
  for (const resource of resourcesOfType(stack, 'AWS::SQS::QueuePolicy')) {
    const { logicalId, properties } = resource;
    const document = parsePolicy(properties.PolicyDocument, `${logicalId}.PolicyDocument`);
    for (const url of listProperty(resource, 'Queues').map(String)) {
      if (!queues.includes(url)) {
        throw new UserError(`${logicalId}.Queues: the template has no queue ${url}`);
      }
      // A queue has one policy. In AWS one of the two would replace the other, in no defined order.
      if (policies.has(url))
        throw new UserError(`${logicalId}.Queues: ${url} has a policy already`);
      policies.set(url, document);
    }
  }
  return policies;
}
