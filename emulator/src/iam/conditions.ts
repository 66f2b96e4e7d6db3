/**
 * The `Condition` block of a policy statement.
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_condition_operators.html
 * Dates, IP addresses, binary values, policy variables, and keys that no service sets, are refused
 * when the stack is loaded.
 */

import { UserError } from '../errors/user-error';
import { isRecord } from '../values/json';
import type { PolicyStatement } from './iam';
import { matchesWildcards } from './wildcards';

export type Context = Readonly<Record<string, string | readonly string[]>>;

interface Operator {
  readonly matches: (expected: string, actual: string) => boolean;
  /** True for `…Not…`: none of the expected values may match, and an absent key passes. */
  readonly negated?: boolean;
}

const same = (expected: string, actual: string) => expected === actual;
const sameIgnoringCase = (expected: string, actual: string) =>
  expected.toLowerCase() === actual.toLowerCase();

const numeric =
  (compare: (expected: number, actual: number) => boolean) =>
  (expected: string, actual: string): boolean =>
    // Number('') is 0, and text that is not a number must not match.
    actual.trim() !== '' &&
    Number.isFinite(Number(actual)) &&
    compare(Number(expected), Number(actual));

const OPERATORS: Readonly<Record<string, Operator>> = {
  StringEquals: { matches: same },
  StringNotEquals: { matches: same, negated: true },
  StringEqualsIgnoreCase: { matches: sameIgnoringCase },
  StringNotEqualsIgnoreCase: { matches: sameIgnoringCase, negated: true },
  StringLike: { matches: matchesWildcards },
  StringNotLike: { matches: matchesWildcards, negated: true },
  ArnEquals: { matches: matchesWildcards },
  ArnLike: { matches: matchesWildcards },
  ArnNotEquals: { matches: matchesWildcards, negated: true },
  ArnNotLike: { matches: matchesWildcards, negated: true },
  Bool: { matches: sameIgnoringCase },
  NumericEquals: { matches: numeric((expected, actual) => actual === expected) },
  NumericNotEquals: { matches: numeric((expected, actual) => actual === expected), negated: true },
  NumericLessThan: { matches: numeric((expected, actual) => actual < expected) },
  NumericLessThanEquals: { matches: numeric((expected, actual) => actual <= expected) },
  NumericGreaterThan: { matches: numeric((expected, actual) => actual > expected) },
  NumericGreaterThanEquals: { matches: numeric((expected, actual) => actual >= expected) },
};

/**
 * The condition keys that the services set. The last three occur only in requests of AWS services,
 * which do not exist in the emulator.
 */
const KEYS: ReadonlySet<string> = new Set([
  'aws:securetransport',
  'aws:principalarn',
  'aws:useragent',
  'aws:referer',
  'dynamodb:leadingkeys',
  's3:authtype',
  's3:signatureversion',
  's3:signatureage',
  's3:x-amz-content-sha256',
  's3:if-none-match',
  's3:if-match',
  's3:x-amz-server-side-encryption',
  's3:x-amz-storage-class',
  's3:x-amz-acl',
  's3:prefix',
  's3:delimiter',
  's3:max-keys',
  's3:objectcreationoperation',
  'aws:sourceaccount',
  'aws:sourcearn',
  'kms:viaservice',
]);

type Quantifier = 'ForAllValues' | 'ForAnyValue';

interface OperatorName {
  readonly quantifier?: Quantifier;
  readonly base: string;
  readonly ifExists: boolean;
}

function parseOperator(name: string): OperatorName {
  const colon = name.indexOf(':');
  const quantifier = colon < 0 ? undefined : (name.slice(0, colon) as Quantifier);
  const rest = name.slice(colon + 1);
  const ifExists = rest.endsWith('IfExists');
  return { quantifier, base: ifExists ? rest.slice(0, -'IfExists'.length) : rest, ifExists };
}

const listOf = (value: string | readonly string[]): readonly string[] =>
  typeof value === 'string' ? [value] : value;

/** Every operator and every key must match, and any one of the values of a key. */
export function conditionsHold(condition: PolicyStatement['Condition'], context: Context): boolean {
  return Object.entries(condition ?? {}).every(([operator, block]) =>
    Object.entries(block).every(([key, expected]) =>
      holds(parseOperator(operator), listOf(expected).map(String), context[key.toLowerCase()]),
    ),
  );
}

function holds(
  name: OperatorName,
  expected: readonly string[],
  actual: string | readonly string[] | undefined,
): boolean {
  if (name.base === 'Null') return expected.includes(String(actual === undefined));
  const operator = OPERATORS[name.base];
  // refuseUnknownConditions refuses it at start. Returning false would be wrong for a Deny.
  if (operator === undefined) throw new Error(`unknown condition operator ${name.base}`);
  const values = actual === undefined ? [] : listOf(actual);
  if (name.quantifier === 'ForAllValues')
    return values.every((value) => passes(operator, expected, value));
  if (values.length === 0) {
    return name.quantifier === undefined && (name.ifExists || operator.negated === true);
  }
  return values.some((value) => passes(operator, expected, value));
}

function passes(operator: Operator, expected: readonly string[], value: string): boolean {
  const matched = expected.some((candidate) => operator.matches(candidate, value));
  return operator.negated ? !matched : matched;
}

/** Throws UserError with the first operator, key or value that `conditionsHold` cannot evaluate. */
export function refuseUnknownConditions(condition: unknown, where: string): void {
  if (condition === undefined) return;
  if (!isRecord(condition)) throw new UserError(`${where} must be an object`);
  for (const [operator, block] of Object.entries(condition)) {
    const { quantifier, base } = parseOperator(operator);
    const known = base === 'Null' || Object.hasOwn(OPERATORS, base);
    if (
      !known ||
      (quantifier !== undefined && !['ForAllValues', 'ForAnyValue'].includes(quantifier))
    ) {
      throw new UserError(`${where}.${operator}: this condition operator is not supported`);
    }
    if (!isRecord(block)) throw new UserError(`${where}.${operator} must be an object`);
    for (const [key, expected] of Object.entries(block)) {
      // It would be absent from every request, and some operators match absent keys.
      if (!KEYS.has(key.toLowerCase())) {
        throw new UserError(`${where}.${operator}.${key}: this condition key is not supported`);
      }
      if (JSON.stringify(expected).includes('${')) {
        throw new UserError(`${where}.${operator}.${key}: policy variables are not supported`);
      }
    }
  }
}
