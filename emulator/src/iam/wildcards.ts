/**
 * Reports whether the text matches a pattern in which `*` matches any characters and `?` one. A
 * mismatch returns to the last `*` only, so that hostile text cannot cause the exponential time of
 * a regular expression.
 */
export function matchesWildcards(pattern: string, text: string): boolean {
  let p = 0;
  let t = 0;
  let star = -1;
  let resume = 0;
  while (t < text.length) {
    // Checked first: a literal `*` in the text must not consume the wildcard.
    if (pattern[p] === '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.length && (pattern[p] === '?' || pattern[p] === text[t])) {
      p++;
      t++;
    } else if (star >= 0) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  while (pattern[p] === '*') p++;
  return p === pattern.length;
}
