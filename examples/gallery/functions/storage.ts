/** The storage of the stack, with the rights of the function's role and without an API key. */
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { StowageClient, StowageError } from 'stowage/client';

const { STOWAGE_FUNCTION: FunctionName, BUCKET: bucket = '' } = process.env;
const lambda = new LambdaClient();

export const BUCKET = bucket;

export const storage = new StowageClient({
  invoke: (Payload, options) => lambda.send(new InvokeCommand({ FunctionName, Payload }), options),
});

export function unlessMissing(error: unknown): undefined {
  if (!(error instanceof StowageError && error.code === 'not_found')) throw error;
}
