import { PassThrough, type Readable } from 'node:stream';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import {
  FunctionError,
  type InvokeResult,
  type Invoker,
  type StreamResult,
} from '../../src/services/lambda/invoker';
import type { Payload } from '../../src/services/lambda/payload';
import { functionArn } from './stack';

type Handler = (payload: string) => unknown;

export interface Functions extends Invoker {
  /** Payloads of all invocations of a function, oldest first. */
  calls(name: string): readonly string[];
  /** The event of the latest invocation of `api`. */
  lastEvent(): APIGatewayProxyEvent;
}

/**
 * An Invoker whose functions run in this process. An error that a function throws becomes a
 * function error, unless it is a LambdaServiceError. Streaming functions return a Readable.
 */
export function functions(handlers: Record<string, Handler>): Functions {
  const log = new Map<string, string[]>();
  const run = async (arn: string, given: Payload) => {
    const name = Object.keys(handlers).find((key) => functionArn(key) === arn);
    if (name === undefined) throw new Error(`unexpected function ${arn}`);
    const payload = textOf(given);
    log.set(name, [...(log.get(name) ?? []), payload]);
    return handlers[name]?.(payload);
  };
  return {
    invoke: async (arn, payload): Promise<InvokeResult> => {
      try {
        const result = await run(arn, payload);
        return { payload: typeof result === 'string' ? result : JSON.stringify(result) };
      } catch (error) {
        return { payload: failure(error), functionError: 'Unhandled' };
      }
    },
    invokeStream: async (arn, payload): Promise<StreamResult> => {
      try {
        const body = (await run(arn, payload)) as Readable;
        return { contentType: 'application/vnd.awslambda.http-integration-response', body };
      } catch (error) {
        throw new FunctionError(failure(error));
      }
    },
    invokeAsync: async () => {
      throw new Error('the gateway never invokes asynchronously');
    },
    calls: (name) => log.get(name) ?? [],
    lastEvent: () => JSON.parse(log.get('api')?.at(-1) ?? '') as APIGatewayProxyEvent,
  };
}

/** Returns the payload as the function's thread builds it. */
function textOf(payload: Payload): string {
  if (typeof payload === 'string') return payload;
  return JSON.stringify({ ...JSON.parse(payload.text), body: payload.body.toString('base64') });
}

/** Returns the payload of a function error. Rethrows an error of the Lambda service itself. */
function failure(error: unknown): string {
  if (error instanceof Error && error.name === 'LambdaServiceError') throw error;
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  return JSON.stringify({ errorType: name, errorMessage: message, trace: [] });
}

/** The output of a streaming function: metadata, delimiter, chunks, end. */
export function streamed(metadata: unknown, ...chunks: readonly (string | Buffer)[]): PassThrough {
  const body = prelude(metadata);
  for (const chunk of chunks) body.write(chunk);
  body.end();
  return body;
}

/** Only the metadata and its delimiter; the test writes the rest. */
export function prelude(metadata: unknown): PassThrough {
  const body = new PassThrough();
  body.write(`${JSON.stringify(metadata)}${'\0'.repeat(8)}`);
  return body;
}

/** The output of an authorizer that allows these method ARNs. */
export function allow(resource: string | string[] = '*', more: Record<string, unknown> = {}) {
  return policy('Allow', resource, more);
}

export function policy(
  effect: string,
  resource: string | string[],
  more: Record<string, unknown> = {},
) {
  return {
    principalId: 'ada',
    policyDocument: {
      Version: '2012-10-17',
      Statement: [{ Effect: effect, Action: 'execute-api:Invoke', Resource: resource }],
    },
    ...more,
  };
}
