import { ServiceError } from '../../core/errors';
import type { Log } from '../../core/ports';
import { type Answer, errorAnswer, withoutBody } from './answer';
import { knownError } from './known-error';
import type { RestEvent } from './request';

/** The only catch of the HTTP side: what the operation answers, or the error in the contract's shape. HEAD loses its body. */
export async function answered(
  deps: { readonly log: Log },
  event: Pick<RestEvent, 'httpMethod' | 'requestContext'>,
  operation: () => Promise<Answer>,
): Promise<Answer> {
  const answer = await operation().catch((error: unknown) => {
    const { requestId } = event.requestContext;
    const known = knownError(error);
    if (known.status >= 500) {
      deps.log.error('request_failed', { requestId, method: event.httpMethod, error });
    }
    return errorAnswer(known, requestId);
  });
  return event.httpMethod === 'HEAD' ? withoutBody(answer) : answer;
}

export function methodNotAllowed(allowed: readonly string[]): ServiceError {
  return new ServiceError('method_not_allowed', {
    details: { allow: allowed },
    headers: { Allow: allowed.join(', ') },
  });
}
