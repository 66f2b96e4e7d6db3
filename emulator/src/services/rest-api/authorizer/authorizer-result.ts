/** What a Lambda authorizer returned -> a grant that can be cached. Pure. */

import { isRecord } from '../../../template/json';
import { type Decision, decide, type MethodPolicy, parseMethodPolicy } from './policy';

export interface Grant {
  readonly principalId: string;
  /** Numbers and booleans already as text. */
  readonly context: Readonly<Record<string, string>>;
  readonly policy: MethodPolicy;
}

/** undefined: API Gateway cannot use it (AUTHORIZER_CONFIGURATION_ERROR). */
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

/** Flat only: an object, an array or null makes the output useless. */
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
 * The policy is judged anew for each method: a cached one must cover every method it is used for.
 */
export function judge(grant: Grant, methodArn: string): Decision {
  return decide(grant.policy, methodArn);
}
