/** Maps addresses of AWS to local ones. */

import { bucketsOfStack } from '../services/s3/s3';
import type { Sqs } from '../services/sqs/sqs';
import type { ResolvedStack } from '../template/model';
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
