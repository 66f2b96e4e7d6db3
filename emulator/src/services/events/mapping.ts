/** Parts that the mappings of streams and of queues share. */

import { UserError } from '../../errors/user-error';
import type { Iam } from '../../iam/iam';
import type { ResolvedResource, ResolvedStack } from '../../template/model';
import type { LambdaService } from '../lambda/lambda';
import type { QueueSource } from './queue-source';
import type { StreamSource } from './stream-source';

export interface EventSourceMappingsOptions {
  readonly stack: ResolvedStack;
  readonly iam: Iam;
  readonly lambda: LambdaService;
  readonly streams: StreamSource;
  /** Absent: the stack has no queues. */
  readonly queues?: QueueSource;
  /** Milliseconds between polls of a stream; 0: woken by each record. Default 250, as AWS. */
  readonly pollInterval?: number;
  /** Milliseconds before the first retry of a failed batch of a stream. Default 250. */
  readonly retryDelay?: number;
}

/** A running mapping: invokes its function with what comes from its source. */
export interface Trigger {
  start(): void;
  /** Waits for running invocations. Items that they have not finished are read again later. */
  stop(): Promise<void>;
}

/**
 * Throws UserError naming the properties that AWS does not accept for this kind of source, or that
 * are not emulated with it.
 */
export function refuseOtherProperties(
  { logicalId, properties }: ResolvedResource,
  known: readonly string[],
  source: string,
): void {
  const others = Object.keys(properties).filter((name) => !known.includes(name));
  if (others.length === 0) return;
  throw new UserError(`${logicalId}: ${others.join(', ')}: not for ${source}`);
}
