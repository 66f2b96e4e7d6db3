import type { ResolvedResource, ResolvedStack } from '../template/model';
import { isRecord } from '../values/json';

/**
 * Replaces AWS's addresses by local ones where functions and clients use them: in the variables of
 * functions and in the outputs. `addresses` maps the beginning of an address in AWS to the local
 * one.
 */
export function withLocalAddresses(
  stack: ResolvedStack,
  addresses: ReadonlyMap<string, string>,
): ResolvedStack {
  const localize = localizer(addresses);
  const resources = [...stack.resources].map(
    ([id, resource]) => [id, withVariables(resource, localize)] as const,
  );
  return {
    ...stack,
    resources: new Map(resources),
    outputs: mapValues(stack.outputs, localize),
  };
}

export function localizer(addresses: ReadonlyMap<string, string>): (text: string) => string {
  return (text) => [...addresses].reduce((result, [from, to]) => result.replaceAll(from, to), text);
}

function withVariables(
  resource: ResolvedResource,
  localize: (text: string) => string,
): ResolvedResource {
  const { Environment: environment } = resource.properties;
  if (resource.type !== 'AWS::Lambda::Function' || !isRecord(environment)) return resource;
  const variables = isRecord(environment.Variables) ? environment.Variables : {};
  const Variables = mapValues(variables, (value) =>
    typeof value === 'string' ? localize(value) : value,
  );
  return {
    ...resource,
    properties: { ...resource.properties, Environment: { ...environment, Variables } },
  };
}

function mapValues<T, U>(
  values: Readonly<Record<string, T>>,
  change: (value: T) => U,
): Readonly<Record<string, U>> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]));
}
