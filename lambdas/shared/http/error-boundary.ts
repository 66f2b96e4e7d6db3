import { ServiceError } from '../../../core/errors';
import type { Log } from '../../../core/system';
import { knownError } from './known-error';
import type { RestEvent } from './request';
import { errorResponse, type HttpResponse, withoutBody } from './response';

/**
 * The only catch of the HTTP side: what the operation answers, or the error in the contract's
 * shape. HEAD loses its body.
 */
export async function withErrorBoundary(
  deps: { readonly log: Log },
  event: Pick<RestEvent, 'httpMethod' | 'requestContext'>,
  operation: () => Promise<HttpResponse>,
): Promise<HttpResponse> {
  const answer = await operation().catch((error: unknown) => {
    const { requestId } = event.requestContext;
    const known = knownError(error);
    if (known.status >= 500) {
      deps.log.error('request_failed', { requestId, method: event.httpMethod, error });
    }
    return errorResponse(known, requestId);
  });
  return event.httpMethod === 'HEAD' ? withoutBody(answer) : answer;
}

export function methodNotAllowed(allowed: readonly string[]): ServiceError {
  return new ServiceError('method_not_allowed', {
    details: { allow: allowed },
    headers: { Allow: allowed.join(', ') },
  });
}
