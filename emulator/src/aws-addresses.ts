/** Which addresses of AWS are which here. */
import type { Gateways } from './gateways';
import { bucketsOfStack } from './services/s3/s3';
import type { Sqs } from './services/sqs/sqs';
import type { ResolvedStack } from './template/model';

/**
 * The SDK connects to the host in a queue's URL, whatever endpoint it was told; clients to what
 * tickets and outputs say.
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

/** What functions tell pages of the store: buckets are paths here, and hosts in AWS. */
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
