/** What a bucket may be called: docs/api.md, "Names". */

/** What is wrong with it, in words; undefined: nothing. */
export function bucketNameError(name: string): string | undefined {
  if (name === '') return 'Give the bucket a name.';
  if (!/^[a-z0-9-]*$/.test(name)) return 'Only a-z, 0-9 and - are possible.';
  if (name.length < 3 || name.length > 63) return 'It must have 3 to 63 characters.';
  if (name.startsWith('-') || name.endsWith('-')) {
    return 'It must begin and end with a letter or digit.';
  }
  return undefined;
}
