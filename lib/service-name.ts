import { Stack } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

/**
 * The stack's name and the ids below it: two services in one account, or in one stack, are told
 * apart by it. Nothing but letters, digits and `._#-`.
 */
export function nameInAccount(service: IConstruct, separator: '/' | '-'): string {
  const stack = Stack.of(service);
  const ids = service.node.scopes
    .slice(stack.node.scopes.length)
    .map(({ node }) => node.id.replace(/[^\w.#-]/g, '-'));
  return [stack.stackName, ...ids].join(separator);
}
