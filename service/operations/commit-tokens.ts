import type { BeforeCommit } from '../../core/commits/groups';
import type { ApiRequest } from '../http/request';

/**
 * Takes a token of the rate limit for each change, commit by commit: the request itself was
 * admitted with the first, so each call makes at least one change, whatever the burst.
 */
export function takingTokens({
  takeTokensUpTo,
}: Pick<ApiRequest<unknown>, 'takeTokensUpTo'>): BeforeCommit {
  let admitted = 1;
  return async (changes) => {
    const own = admitted;
    admitted = 0;
    return own + (await takeTokensUpTo(changes - own));
  };
}
