import { Stack } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

/**
 * The name of the service, unique in account and region: the stack's name and the construct ids
 * below it. It contains letters, digits and `._#-` only.
 */
export function nameInAccount(service: IConstruct, separator: '/' | '-'): string {
  const stack = Stack.of(service);
  const ids = service.node.scopes
    .slice(stack.node.scopes.length)
    .map(({ node }) => node.id.replace(/[^\w.#-]/g, '-'));
  return [stack.stackName, ...ids].join(separator);
}
