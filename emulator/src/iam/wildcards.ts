/**
 * Does the text match a pattern in which `*` is any run of characters and `?` any one? Linear in
 * practice: on a mismatch it goes back to the last `*` only, so a hostile text cannot make it
 * explode as a regular expression could.
 */
export function matchesWildcards(pattern: string, text: string): boolean {
  let p = 0;
  let t = 0;
  let star = -1;
  let resume = 0;
  while (t < text.length) {
    // `*` comes first: a literal `*` in the text must not use up the wildcard.
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
