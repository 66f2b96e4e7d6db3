import { S3ServiceException } from '@aws-sdk/client-s3';

/** Returns code and HTTP status of a call that fails. Throws when it succeeds. */
export async function failure(call: Promise<unknown>): Promise<{ code: string; status?: number }> {
  try {
    await call;
  } catch (error) {
    if (!(error instanceof S3ServiceException)) throw error;
    return { code: error.name, status: error.$metadata.httpStatusCode };
  }
  throw new Error('the call was expected to fail and did not');
}

/** Returns the status of a plain HTTP response, and the code of an XML error. */
export async function outcome(response: {
  readonly status: number;
  text(): Promise<string>;
}): Promise<{ code?: string; status: number }> {
  const code = /<Code>(\w+)<\/Code>/.exec(await response.text())?.[1];
  return code === undefined ? { status: response.status } : { code, status: response.status };
}
