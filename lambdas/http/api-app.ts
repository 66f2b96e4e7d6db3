/** One HTTP app: dispatches a REST event to its operation. The only catch of the HTTP side. */
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { BucketMoved } from '../../core/commit';
import { ServiceError, unavailable } from '../../core/errors';
import type { Clock, Log } from '../../core/ports';
import { METHODS, type Method, type Target, type TargetKind, targetOf } from '../routes';
import { type Answer, errorAnswer, withoutBody } from './answer';
import type { App } from './carrier';
import { type ApiRequest, requestOf } from './request';

export type Operation<Kind extends TargetKind> = (
  request: ApiRequest,
  target: Extract<Target, { kind: Kind }>,
) => Promise<Answer>;

/** HEAD is answered by GET's operation, without the body. */
export type Operations = {
  readonly [Kind in TargetKind]?: Partial<Record<Exclude<Method, 'HEAD'>, Operation<Kind>>>;
};

export function createApp(
  deps: { clock: Pick<Clock, 'now'>; log: Log },
  operations: Operations,
): App {
  return async (event) => {
    const { requestId } = event.requestContext;
    try {
      return await dispatch(operations, event, deps.clock.now());
    } catch (error) {
      const known = error instanceof ServiceError ? error : fromUnknown(error);
      if (known.status >= 500) {
        deps.log.error('request_failed', { requestId, method: event.httpMethod, error });
      }
      const answer = errorAnswer(known, requestId);
      return event.httpMethod === 'HEAD' ? withoutBody(answer) : answer;
    }
  };
}

async function dispatch(
  operations: Operations,
  event: APIGatewayProxyEvent,
  now: number,
): Promise<Answer> {
  const request = requestOf(event, now);
  const target = targetOf(event.path);
  if (!target) throw new ServiceError('not_found');
  const allowed: readonly string[] = METHODS[target.kind];
  const method = event.httpMethod === 'HEAD' ? 'GET' : event.httpMethod;
  const operation = allowed.includes(event.httpMethod)
    ? (operations[target.kind]?.[method as 'GET'] as Operation<TargetKind> | undefined)
    : undefined;
  if (!operation) {
    const allow = allowed.join(', ');
    throw new ServiceError('method_not_allowed', {
      details: { allow: allowed },
      headers: { Allow: allow },
    });
  }
  const answer = await operation(request, target);
  return event.httpMethod === 'HEAD' ? withoutBody(answer) : answer;
}

/** AWS's own hiccups may be tried again; anything else is a bug of ours, and nothing of it is shown. */
function fromUnknown(error: unknown): ServiceError {
  return isPassing(error) ? unavailable(error) : new ServiceError('internal', { cause: error });
}

const PASSING =
  /Throttl|Timeout|Unavailable|SlowDown|ProvisionedThroughput|RequestLimit|InProgress|InternalServer|Conflict|TransactionCanceled|Unprocessed|ECONN|EPIPE|EAI_AGAIN/;

function isPassing(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof BucketMoved) return true;
  const { $metadata, code } = error as { $metadata?: { httpStatusCode?: number }; code?: string };
  return ($metadata?.httpStatusCode ?? 0) >= 500 || PASSING.test(`${error.name} ${code ?? ''}`);
}
