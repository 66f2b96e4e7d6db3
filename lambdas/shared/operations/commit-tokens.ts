import type { BeforeCommit } from '../../../core/objects/commits/groups';
import type { ApiRequest } from '../http/request';

/**
 * Takes a token of the rate limit for each change, commit by commit: the request itself was
 * admitted with the first.
 */
export function takingTokens({
  takeTokens,
}: Pick<ApiRequest<unknown>, 'takeTokens'>): BeforeCommit {
  let admitted = 1;
  return async (changes) => {
    const due = changes - admitted;
    admitted = 0;
    await takeTokens(due);
  };
}
