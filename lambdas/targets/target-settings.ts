/** The targets of the stack: one JSON list in an environment variable. */
import { ENV } from '../runtime/env';

export interface TargetSettings {
  readonly id: string;
  readonly kind: 'function' | 'queue' | 'bus';
  /** ARN of the function, URL of the queue, ARN of the bus. */
  readonly address: string;
  readonly buckets: readonly string[];
  readonly startFrom: 'now' | 'oldest';
  /** How long a function may take to respond, seconds. */
  readonly timeout?: number;
}

/** Throws at cold start if the variable is not what the construct writes. */
export function parseTargets(text: string): readonly TargetSettings[] {
  const targets: unknown = JSON.parse(text);
  if (!Array.isArray(targets) || !targets.every(isTarget)) {
    throw new Error(`${ENV.changeTargets} must be a list of targets, got ${text}`);
  }
  return targets;
}

function isTarget(value: unknown): value is TargetSettings {
  const fields: Partial<Record<string, unknown>> = Object(value);
  const { id, kind, address, buckets, startFrom, timeout } = fields;
  return (
    typeof id === 'string' &&
    typeof address === 'string' &&
    (kind === 'function' || kind === 'queue' || kind === 'bus') &&
    Array.isArray(buckets) &&
    buckets.every((bucket) => typeof bucket === 'string') &&
    (startFrom === 'now' || startFrom === 'oldest') &&
    (timeout === undefined || (typeof timeout === 'number' && timeout > 0))
  );
}
