/**
 * Limits of the service that the page checks while the user types. The page cannot import the
 * service's own table; test/architecture/rules.test.ts compares the two.
 */
export const LIMITS = {
  bucketNameLength: { min: 3, max: 63 },
  /** The buckets of a permission: a name, or the beginning of names followed by an asterisk. */
  bucketPattern: /^(?=.{1,63}$)[a-z0-9-]*\*?$/,
  /** Most buckets in a permission. */
  permissionEntries: 50,
  keyBytes: 900,
  lifecycleRules: 20,
  lifecycleDays: 36_500,
  encodedKeyLength: 1400,
} as const;
