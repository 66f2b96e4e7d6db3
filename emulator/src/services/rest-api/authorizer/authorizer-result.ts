/** Parses the output of a Lambda authorizer into a grant, which can be cached. */

import { isRecord } from '../../../values/json';
import { type Decision, decide, type MethodPolicy, parseMethodPolicy } from './policy';

export interface Grant {
  readonly principalId: string;
  /** Numbers and booleans already as text. */
  readonly context: Readonly<Record<string, string>>;
  readonly policy: MethodPolicy;
}

/** Returns undefined for output that API Gateway refuses (AUTHORIZER_CONFIGURATION_ERROR). */
export function parseGrant(payload: string): Grant | undefined {
  let output: unknown;
  try {
    output = JSON.parse(payload);
  } catch {
    return undefined;
  }
  if (!isRecord(output)) return undefined;
  const { principalId, policyDocument, context = {}, usageIdentifierKey, ...unknownKeys } = output;
  if (typeof principalId !== 'string' || principalId === '') return undefined;
  if (usageIdentifierKey !== undefined && typeof usageIdentifierKey !== 'string') return undefined;
  if (Object.keys(unknownKeys).length > 0) return undefined;
  const policy = parseMethodPolicy(policyDocument);
  const texts = contextTexts(context);
  return policy && texts && { principalId, context: texts, policy };
}

/** Returns undefined when a value is an object, an array or null. */
function contextTexts(context: unknown): Record<string, string> | undefined {
  if (!isRecord(context)) return undefined;
  const texts: [string, string][] = [];
  for (const [name, value] of Object.entries(context)) {
    if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') {
      return undefined;
    }
    texts.push([name, String(value)]);
  }
  return Object.fromEntries(texts);
}

/**
 * Evaluates the policy for one method. A cached policy must cover every method for which it is
 * used.
 */
export function decideFor(grant: Grant, methodArn: string): Decision {
  return decide(grant.policy, methodArn);
}
