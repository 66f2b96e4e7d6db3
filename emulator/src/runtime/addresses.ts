/** Local addresses in place of those of AWS. */
import { bucketsOfStack } from '../services/s3/s3';
import type { Sqs } from '../services/sqs/sqs';
import type { ResolvedResource, ResolvedStack } from '../template/model';
import { isRecord } from '../values/json';
import type { Gateways } from './gateways';

/**
 * The addresses that functions and clients connect to: the SDK uses the host of a queue's URL,
 * whatever its endpoint; clients use the URLs of outputs and responses.
 */
export function localAddresses(
  stack: ResolvedStack,
  sqs: Sqs | undefined,
  { edge, rest, others, websocket }: Gateways,
): ReadonlyMap<string, string> {
  const channels = rest.baseUrl.replace('http', 'ws');
  return new Map([
    ...(edge?.domainNames ?? []).flatMap((name) => [
      [`https://${name}`, rest.baseUrl] as const,
      [`wss://${name}`, channels] as const,
    ]),
    ...[rest, ...others.values()].flatMap(({ url, baseUrl }) => [
      [url, baseUrl] as const,
      [new URL(url).origin, baseUrl] as const,
    ]),
    ...(sqs ? [[`https://sqs.${stack.region}.amazonaws.com`, sqs.endpoint] as const] : []),
    ...(websocket ? [[websocket.url, websocket.localUrl] as const] : []),
  ]);
}

/** Maps the hosts of buckets in AWS to the local S3, which addresses buckets by path. */
export function storeAddresses(
  stack: ResolvedStack,
  endpoint: string,
): ReadonlyMap<string, string> {
  return new Map(
    bucketsOfStack(stack).map(({ name }) => [
      `https://${name}.s3.${stack.region}.amazonaws.com`,
      endpoint,
    ]),
  );
}

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
