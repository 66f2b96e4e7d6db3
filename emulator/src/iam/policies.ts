/**
 * IAM's evaluation of identity and resource policies within one account.
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic.html
 * Permission boundaries, session policies, organization policies, NotResource and NotPrincipal are
 * refused.
 */

import { UserError } from '../errors/user-error';
import { isRecord } from '../values/json';
import { type Context, conditionsHold, refuseUnknownConditions } from './conditions';
import type { AccessRequest, PolicyDocument, PolicyStatement, Principal } from './iam';
import { matchesWildcards } from './wildcards';

export type Verdict = 'allow' | 'deny' | 'silent';

/** A Deny in any policy refuses; else an Allow of the identity or of the resource permits. */
export function decide(
  principal: Principal,
  identityPolicies: readonly PolicyDocument[],
  request: AccessRequest,
): { readonly allowed: boolean; readonly deniedBy?: 'identity' | 'resource' } {
  const context: Context = {
    // All endpoints listen on the loopback interface, where no other machine can read.
    'aws:securetransport': 'true',
    'aws:principalarn': principal.arn,
    ...request.context,
  };
  const resource = request.resourcePolicy
    ? evaluate([request.resourcePolicy], request, context, (s) => namesPrincipal(s, principal.arn))
    : 'silent';
  if (resource === 'deny') return { allowed: false, deniedBy: 'resource' };
  if (principal.root) return { allowed: true };
  const identity = evaluate(identityPolicies, request, context, () => true);
  if (identity === 'deny') return { allowed: false, deniedBy: 'identity' };
  return { allowed: identity === 'allow' || resource === 'allow' };
}

function evaluate(
  policies: readonly PolicyDocument[],
  request: AccessRequest,
  context: Context,
  concerns: (statement: PolicyStatement) => boolean,
): Verdict {
  let verdict: Verdict = 'silent';
  const action = request.action.toLowerCase();
  for (const policy of policies) {
    for (const statement of policy.Statement) {
      const rule = ruleOf(statement);
      if (
        rule.actions.some((pattern) => matchesWildcards(pattern, action)) === rule.negated ||
        !rule.resources.some((pattern) => matchesWildcards(pattern, request.resource)) ||
        !conditionsHold(statement.Condition, context) ||
        !concerns(statement)
      ) {
        continue;
      }
      if (statement.Effect === 'Deny') return 'deny';
      verdict = 'allow';
    }
  }
  return verdict;
}

/** A statement, prepared for comparison. */
interface Rule {
  /** In lower case: action names ignore case, ARNs do not. */
  readonly actions: readonly string[];
  /** Whether `actions` comes from NotAction. */
  readonly negated: boolean;
  readonly resources: readonly string[];
}

/** Statements do not change once they are parsed. */
const RULES = new WeakMap<PolicyStatement, Rule>();

function ruleOf(statement: PolicyStatement): Rule {
  const known = RULES.get(statement);
  if (known !== undefined) return known;
  const { Action, NotAction, Resource } = statement;
  const rule = {
    actions: listOf(NotAction ?? Action).map((pattern) => pattern.toLowerCase()),
    negated: NotAction !== undefined,
    resources: listOf(Resource),
  };
  RULES.set(statement, rule);
  return rule;
}

/**
 * An account as principal delegates to the policies of its identities. So an Allow grants nothing
 * by itself, and a Deny applies to every identity of the account.
 */
function namesPrincipal(statement: PolicyStatement, arn: string): boolean {
  const { Principal: named } = statement;
  if (named === '*') return true;
  const aws = isRecord(named) ? listOf(named.AWS) : [];
  const account = arn.split(':')[4] ?? '';
  return aws.some(
    (entry) =>
      entry === '*' ||
      entry === arn ||
      (statement.Effect === 'Deny' &&
        (entry === account || entry === `arn:aws:iam::${account}:root`)),
  );
}

/**
 * Reports whether a resource's policy permits a call of an AWS service, which has no other policy.
 */
export function servicePermitted(
  policy: PolicyDocument | undefined,
  service: string,
  request: AccessRequest,
): boolean {
  if (policy === undefined) return false;
  const context: Context = { 'aws:securetransport': 'true', ...request.context };
  const named = ({ Principal }: PolicyStatement) =>
    Principal === '*' || (isRecord(Principal) && listOf(Principal.Service).includes(service));
  return evaluate([policy], request, context, named) === 'allow';
}

/** The verdict of a resource's policy on a request without credentials. */
export function anonymousVerdict(policy: PolicyDocument, request: AccessRequest): Verdict {
  const context: Context = { 'aws:securetransport': 'true', ...request.context };
  const namesAll = ({ Principal }: PolicyStatement) =>
    Principal === '*' || (isRecord(Principal) && listOf(Principal.AWS).includes('*'));
  return evaluate([policy], request, context, namesAll);
}

/** Reports whether a statement of a resource's policy names the role in an Allow. */
export function grantedTo(statement: PolicyStatement, arn: string): boolean {
  return statement.Effect === 'Allow' && namesPrincipal(statement, arn);
}

/**
 * Parses a policy of a template. Throws UserError, with the place, for parts that cannot be
 * evaluated exactly.
 */
export function parsePolicy(document: unknown, where: string): PolicyDocument {
  if (!isRecord(document)) throw new UserError(`${where} must be an object`);
  const statements = Array.isArray(document.Statement) ? document.Statement : [document.Statement];
  return {
    Statement: statements.map((s, index) => parseStatement(s, `${where}.Statement[${index}]`)),
  };
}

const KNOWN = ['Sid', 'Effect', 'Action', 'NotAction', 'Resource', 'Principal', 'Condition'];

function parseStatement(statement: unknown, where: string): PolicyStatement {
  if (!isRecord(statement)) throw new UserError(`${where} must be an object`);
  for (const element of Object.keys(statement)) {
    if (!KNOWN.includes(element)) {
      throw new UserError(`${where}.${element}: this policy element is not supported`);
    }
  }
  if (statement.Effect !== 'Allow' && statement.Effect !== 'Deny') {
    throw new UserError(`${where}.Effect must be Allow or Deny`);
  }
  for (const element of ['Action', 'NotAction', 'Resource'] as const) {
    const value = statement[element];
    if (value !== undefined && !listOfStrings(value)) {
      throw new UserError(`${where}.${element} must be a string or a list of strings`);
    }
    if (JSON.stringify(value ?? '').includes('${')) {
      throw new UserError(`${where}.${element}: policy variables are not supported`);
    }
  }
  parsePrincipal(statement.Principal, `${where}.Principal`);
  refuseUnknownConditions(statement.Condition, `${where}.Condition`);
  return statement as unknown as PolicyStatement;
}

function parsePrincipal(principal: unknown, where: string): void {
  if (principal === undefined || principal === '*') return;
  if (!isRecord(principal)) throw new UserError(`${where} must be "*" or an object`);
  for (const [kind, names] of Object.entries(principal)) {
    if (kind !== 'AWS' && kind !== 'Service') {
      throw new UserError(`${where}.${kind}: this kind of principal is not supported`);
    }
    if (!listOfStrings(names)) throw new UserError(`${where}.${kind} must be a list of strings`);
  }
}

const listOfStrings = (value: unknown): value is string | readonly string[] =>
  typeof value === 'string' || (Array.isArray(value) && value.every((v) => typeof v === 'string'));

function listOf(value: unknown): readonly string[] {
  return listOfStrings(value) ? (typeof value === 'string' ? [value] : value) : [];
}
