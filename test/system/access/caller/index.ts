/**
 * The function of a user. Its event says what to do: calls of the TypeScript client, or invocations
 * without it.
 */
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { StowageClient, StowageError } from '../../../../client';

export type Task =
  | { readonly do: 'put'; readonly bucket: string; readonly key: string; readonly body: string }
  | { readonly do: 'get' | 'delete'; readonly bucket: string; readonly key: string }
  | { readonly do: 'list'; readonly bucket: string }
  /** Receives changes until one has this key. */
  | {
      readonly do: 'follow';
      readonly bucket: string;
      readonly prefix: string;
      readonly until: string;
    }
  | {
      readonly do: 'mirror';
      readonly bucket: string;
      readonly prefix: string;
      readonly until: string;
    }
  | { readonly do: 'upload'; readonly bucket: string; readonly key: string; readonly body: string }
  /** Invokes the given function with the given payload. */
  | {
      readonly do: 'invoke';
      readonly name?: string;
      readonly qualifier?: string;
      readonly payload: unknown;
    };

export type Outcome =
  | { readonly value: unknown }
  | { readonly error: { readonly name: string; readonly code?: string; readonly message: string } };

const lambda = new LambdaClient({ maxAttempts: 1 });
const { STOWAGE_FUNCTION: FunctionName } = process.env;

const client = new StowageClient({
  invoke: (Payload, options) => lambda.send(new InvokeCommand({ FunctionName, Payload }), options),
});

export async function handler(task: Task): Promise<Outcome> {
  try {
    return { value: await perform(task) };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const { name, message } = error;
    return { error: { name, message, ...(error instanceof StowageError && { code: error.code }) } };
  }
}

async function perform(task: Task): Promise<unknown> {
  switch (task.do) {
    case 'put':
      return client.put(task.bucket, task.key, task.body, { contentType: 'text/plain' });
    case 'get':
      return (await client.get(task.bucket, task.key)).text();
    case 'delete':
      return client.delete(task.bucket, task.key);
    case 'list':
      return (await client.list(task.bucket)).objects.map(({ key }) => key);
    case 'follow':
      return follow(task);
    case 'mirror':
      return mirror(task);
    case 'upload': {
      const { url, method, headers } = await client.signedUrl(task.bucket, task.key, {
        method: 'PUT',
      });
      return (await fetch(url, { method, headers, body: task.body })).status;
    }
    case 'invoke': {
      const { name = FunctionName, qualifier: Qualifier, payload } = task;
      const Payload = JSON.stringify(payload);
      const output = await lambda.send(
        new InvokeCommand({ FunctionName: name, Qualifier, Payload }),
      );
      return JSON.parse(output.Payload?.transformToString() ?? 'null');
    }
    default:
      return task satisfies never;
  }
}

async function follow({ bucket, prefix, until }: Task & { do: 'follow' }): Promise<string[]> {
  const keys: string[] = [];
  for await (const { object } of client.sync({ [bucket]: { cursor: 0, prefix } })) {
    keys.push(object.key);
    if (object.key === until) break;
  }
  return keys;
}

async function mirror({ bucket, prefix, until }: Task & { do: 'mirror' }): Promise<string[]> {
  const events: string[] = [];
  for await (const event of client.mirror(bucket, { prefix })) {
    if (event.type === 'reset' || event.type === 'cursor') continue;
    events.push(`${event.type} ${event.object.key}`);
    if (event.object.key === until) break;
  }
  return events;
}
