/**
 * The roles of the functions of a local service: their credentials follow from the template and the
 * seed of its data folder.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { createStackIam } from '../../emulator/src/iam/stack-iam';
import { loadStack } from '../../emulator/src/template/assembly';
import { resolveStack } from '../../emulator/src/template/resolve-stack';
import { openStores } from '../system/support/local-service';

export const ROOT = path.join(__dirname, '..', '..');

export type Stores = ReturnType<typeof openStores>;

/**
 * Opens the stores of the service in `folder` with what the role of a function, such as `Janitor`,
 * may do.
 */
export function openRoles(folder: string): (functionName: string) => Stores {
  const stack = resolveStack(loadStack(path.join(ROOT, 'cdk.out'), 'stowage-dev'));
  const iam = createStackIam(stack, readFileSync(path.join(folder, 'seed'), 'utf8'));
  return (functionName) => {
    const named = new RegExp(`^StorageFunctions${functionName}Role[0-9A-F]{8}$`);
    const role = [...stack.resources.values()].find(({ logicalId }) => named.test(logicalId));
    if (role?.arn === undefined) throw new Error(`the template has no role of ${functionName}`);
    return openStores(folder, iam.credentialsForRole(role.arn));
  };
}
