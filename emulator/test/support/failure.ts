/** Returns the error with which a promise rejects, as a plain object. Throws when it resolves. */
export async function failure(promise: Promise<unknown>): Promise<Record<string, unknown>> {
  try {
    await promise;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return { ...error, name: error.name, message: error.message };
  }
  throw new Error('the promise was expected to reject and did not');
}
