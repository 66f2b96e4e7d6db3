/** Runs the stack of stack.ts, and invokes its functions. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { BucketIds } from '../../../core/buckets/bucket-ids';
import { createStackIam } from '../../../emulator/src/iam/stack-iam';
import { loadStack } from '../../../emulator/src/template/assembly';
import { resolveStack } from '../../../emulator/src/template/resolve-stack';
import { newDataFolder, openStores, startLocalService } from '../support/local-service';
import type { Outcome, Task } from './caller';
import { type CallerName, synthesizeAccess } from './stack';

interface More {
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The function to invoke in place of the one in the caller's environment. */
  readonly name?: string;
  readonly qualifier?: string;
}

export type Access = Awaited<ReturnType<typeof startAccess>>;

/**
 * Starts the service with `flags`. It has a bucket `photos` with an object `public/a`, both created
 * by the writer.
 */
export async function startAccess(flags: readonly string[] = []) {
  const data = newDataFolder();
  const folder = path.join(data.folder, 'data');
  const cdkOut = path.join(data.folder, 'cdk.out');
  synthesizeAccess(cdkOut, path.join(data.folder, 'code'));
  const where = ['--stack', 'access', '--cdk-out', cdkOut];
  const service = await startLocalService(folder, [...where, ...flags]);
  const { endpoints, credentials, region } = JSON.parse(
    readFileSync(path.join(folder, 'endpoints.json'), 'utf8'),
  );
  const lambda = new LambdaClient({ endpoint: endpoints.lambda, credentials, region });

  /** Invokes the caller's function and returns its result. */
  async function as(FunctionName: CallerName, task: Task): Promise<Outcome> {
    const Payload = JSON.stringify(task);
    const output = await lambda.send(new InvokeCommand({ FunctionName, Payload }));
    const text = output.Payload?.transformToString() ?? '';
    if (output.FunctionError !== undefined) throw new Error(text);
    return JSON.parse(text);
  }

  /**
   * Lets the caller send a request without the client. Returns the status of the response, or the
   * name of Lambda's error.
   */
  async function status(caller: CallerName, method: string, at: string, more: More = {}) {
    const { name, qualifier, ...rest } = more;
    const payload = { method, path: `/api/v2/storage${at}`, ...rest };
    const invocation = { ...(name && { name }), ...(qualifier && { qualifier }) };
    const outcome = await as(caller, { do: 'invoke', payload, ...invocation });
    return 'value' in outcome ? (outcome.value as { status: number }).status : outcome.error.name;
  }

  await status('writer', 'POST', '/buckets', { body: '{"name":"photos"}' });
  await as('writer', { do: 'put', bucket: 'photos', key: 'public/a', body: 'one' });
  const stack = resolveStack(loadStack(cdkOut, 'access'));
  return {
    service,
    folder,
    as,
    status,
    /** The function that the environment of a caller names. */
    addressOf: (caller: CallerName) => {
      const { properties } =
        [...stack.resources.values()].find(({ physicalId }) => physicalId === caller) ?? {};
      const environment = properties?.Environment as
        | { readonly Variables?: Readonly<Record<string, string>> }
        | undefined;
      return environment?.Variables?.STOWAGE_FUNCTION ?? '';
    },
    /**
     * Opens the stores in the role of the internal function, for calls that no invocation causes.
     */
    internalStores: () => {
      const iam = createStackIam(stack, readFileSync(path.join(folder, 'seed'), 'utf8'));
      const internal = [...stack.resources.values()].find(({ logicalId }) =>
        /^StorageAccessInternalFunction/.test(logicalId),
      );
      const role = iam.credentialsForRole(String(internal?.properties.Role));
      const stores = openStores(folder, role);
      return { ...stores, bucketIds: new BucketIds(stores.buckets) };
    },
    stop: async () => {
      lambda.destroy();
      await service.kill();
      data.remove();
    },
  };
}
