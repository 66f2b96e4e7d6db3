/** Most bytes of the records of a batch: Lambda's limit of an invocation, less the JSON around. */
export const MAX_RECORD_BYTES = 6_291_456 - 1024;

/** The payload of a batch, from the JSON texts of its records. */
export function batchPayload(records: readonly string[]): string {
  return `{"Records":[${records.join(',')}]}`;
}
