import { matchesWildcards } from '../../../iam/wildcards';
import { isRecord } from '../../../values/json';
import { QUOTAS } from '../limits/limits';
import { type ArnPattern, arnParts, matchesArn, parseArnPattern } from '../model/arn';

/** The policy that a Lambda authorizer returned. */
export interface MethodPolicy {
  readonly allow: readonly ArnPattern[];
  readonly deny: readonly ArnPattern[];
}

export type Decision = 'allow' | 'explicit deny' | 'implicit deny';

const INVOKE = 'execute-api:invoke';

/**
 * Returns undefined for a policy that API Gateway refuses (AUTHORIZER_CONFIGURATION_ERROR).
 * Conditions, NotAction and NotResource are refused too: the emulator cannot evaluate them, and
 * must not take them for an Allow.
 */
export function parseMethodPolicy(document: unknown): MethodPolicy | undefined {
  if (!isRecord(document)) return undefined;
  const { Version: version, Statement: statements } = document;
  if (version !== undefined && version !== '2012-10-17' && version !== '2008-10-17') {
    return undefined;
  }
  const allow: ArnPattern[] = [];
  const deny: ArnPattern[] = [];
  for (const statement of Array.isArray(statements) ? statements : [statements]) {
    const parsed = parseStatement(statement);
    if (parsed === undefined) return undefined;
    if (parsed.invoke) (parsed.effect === 'Allow' ? allow : deny).push(...parsed.resources);
  }
  return { allow, deny };
}

function parseStatement(statement: unknown) {
  if (!isRecord(statement)) return undefined;
  const { Effect: effect, Action, Resource, Sid: _, ...unknownElements } = statement;
  if (effect !== 'Allow' && effect !== 'Deny') return undefined;
  if (Object.keys(unknownElements).length > 0) return undefined;
  const actions = stringList(Action);
  const resources = stringList(Resource)?.map((arn) =>
    arn.length <= QUOTAS.policyArnLength ? parseArnPattern(arn) : undefined,
  );
  if (actions === undefined || resources === undefined) return undefined;
  const usable = resources.filter((arn) => arn !== undefined);
  if (usable.length !== resources.length) return undefined;
  const invoke = actions.some((action) => matchesWildcards(action.toLowerCase(), INVOKE));
  return { effect, invoke, resources: usable } as const;
}

function stringList(value: unknown): readonly string[] | undefined {
  const list: unknown[] = Array.isArray(value) ? value : [value];
  const strings = list.filter((item) => typeof item === 'string');
  return strings.length === list.length && list.length > 0 ? strings : undefined;
}

/** A matching Deny overrides every Allow. */
export function decide(policy: MethodPolicy, methodArn: string): Decision {
  const arn = arnParts(methodArn);
  if (policy.deny.some((pattern) => matchesArn(pattern, arn))) return 'explicit deny';
  return policy.allow.some((pattern) => matchesArn(pattern, arn)) ? 'allow' : 'implicit deny';
}
