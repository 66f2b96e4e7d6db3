import { matchesWildcards } from '../../../iam/wildcards';

/** Splits an ARN into its six parts; the last one may contain colons. */
export function arnParts(arn: string): readonly string[] {
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

/** Returns undefined when the pattern is not an ARN. */
export function parseArnPattern(pattern: string): ArnPattern | undefined {
  if (pattern === '*') return '*';
  const found = arnParts(pattern);
  return found[0] === 'arn' ? found : undefined;
}

/** IAM's ArnLike: `*` and `?` match within one of the six parts, not across the colons. */
export function matchesArn(pattern: ArnPattern, arn: readonly string[]): boolean {
  if (pattern === '*') return true;
  return arn.length === 6 && pattern.every((part, i) => matchesWildcards(part, arn[i] ?? ''));
}
