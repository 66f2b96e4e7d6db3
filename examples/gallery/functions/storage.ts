/**
 * A client of the stack's storage. It invokes a function of the storage with the function's own
 * role, so it needs no API key.
 */
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { StowageClient, StowageError } from 'stowage/client';

const { STOWAGE_FUNCTION: FunctionName, BUCKET: bucket = '' } = process.env;
const lambda = new LambdaClient();

export const BUCKET = bucket;

export const storage = new StowageClient({
  invoke: (Payload, options) => lambda.send(new InvokeCommand({ FunctionName, Payload }), options),
});

/** For `catch`: ignores that an object does not exist, and throws every other error. */
export function unlessMissing(error: unknown): undefined {
  if (!(error instanceof StowageError && error.code === 'not_found')) throw error;
}
