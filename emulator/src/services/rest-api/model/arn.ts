import { matchesWildcards } from '../../../iam/wildcards';

/** Six parts of an ARN; the last one may contain colons. */
function parts(arn: string): readonly string[] {
  const found: string[] = [];
  let start = 0;
  for (let i = 0; i < 5; i++) {
    const colon = arn.indexOf(':', start);
    if (colon < 0) return [];
    found.push(arn.slice(start, colon));
    start = colon + 1;
  }
  found.push(arn.slice(start));
  return found;
}

export type ArnPattern = '*' | readonly string[];

/** undefined: not an ARN. */
export function parseArnPattern(pattern: string): ArnPattern | undefined {
  if (pattern === '*') return '*';
  const found = parts(pattern);
  return found[0] === 'arn' ? found : undefined;
}

/**
 * IAM's ArnLike: `*` and `?` are good within one of the six parts, never across a colon between
 * them.
 */
export function matchesArn(pattern: ArnPattern, arn: readonly string[]): boolean {
  if (pattern === '*') return true;
  return arn.length === 6 && pattern.every((part, i) => matchesWildcards(part, arn[i] ?? ''));
}

export { parts as arnParts };
