import type { ApiRequest } from '../http/request';

/**
 * Takes tokens of the rate limit for a page that does the work of `count` items, of which one token
 * pays `perToken`; the first is that of the request. Returns the number of items that are paid for.
 */
export async function paidItems(
  { takeTokensUpTo }: Pick<ApiRequest<unknown>, 'takeTokensUpTo'>,
  count: number,
  perToken: number,
): Promise<number> {
  const tokens = Math.ceil(count / perToken);
  return (1 + (await takeTokensUpTo(Math.max(0, tokens - 1)))) * perToken;
}
