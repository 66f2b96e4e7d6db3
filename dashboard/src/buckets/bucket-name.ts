/** The rules for names of buckets: docs/api.md, "Names". */
import { LIMITS } from '../api/limits';

const { min, max } = LIMITS.bucketNameLength;

/** Returns what is wrong with a name; undefined: it is valid. */
export function bucketNameError(name: string): string | undefined {
  if (name === '') return 'Give the bucket a name.';
  if (!/^[a-z0-9-]*$/.test(name)) return 'Only a-z, 0-9 and - are possible.';
  if (name.length < min || name.length > max) return `It must have ${min} to ${max} characters.`;
  if (name.startsWith('-') || name.endsWith('-')) {
    return 'It must begin and end with a letter or digit.';
  }
  return undefined;
}
