/** Calls the function of a route, and judges what it answers. */
import { isRecord } from '../../template/json';
import { type Invoker, LambdaServiceError } from '../lambda/invoker';
import { DeadlineExceeded, within } from '../rest-api/deadline';
import { GatewayError } from '../rest-api/response/gateway-responses';
import { type BufferedResponse, bufferedResponse } from '../rest-api/response/response';
import { type Route, sourceArn, type WebSocketModel } from './model';

/** The function was not called, failed, took too long or answered what is no answer. */
export class IntegrationFailure extends Error {
  constructor(
    /** Of the handshake's answer. */
    readonly status: 500 | 502 | 504,
    /** For the execution log. */
    message: string,
  ) {
    super(message);
    this.name = 'IntegrationFailure';
  }
}

/** Rejects with IntegrationFailure. */
export async function integrate(
  invoker: Invoker,
  model: WebSocketModel,
  { routeKey, functionArn, timeoutMs }: Route,
  event: string,
): Promise<BufferedResponse> {
  const source = { service: 'apigateway.amazonaws.com', arn: sourceArn(model, routeKey) } as const;
  try {
    const invocation = invoker.invoke(functionArn, event, source);
    const { payload, functionError } = await within(invocation, timeoutMs);
    if (functionError !== undefined) {
      throw new IntegrationFailure(502, `the function failed: ${payload}`);
    }
    return answer(payload);
  } catch (error) {
    throw asFailure(error);
  }
}

/**
 * Unlike a REST API's, the answer must name its status: without one, AWS tells the client of an
 * internal error.
 */
function answer(payload: string): BufferedResponse {
  const response = bufferedResponse(payload, [], undefined);
  const envelope: unknown = JSON.parse(payload);
  if (isRecord(envelope) && envelope.statusCode !== undefined) return response;
  throw new IntegrationFailure(502, 'Malformed Lambda proxy response: no statusCode');
}

export function asFailure(error: unknown): IntegrationFailure {
  if (error instanceof IntegrationFailure) return error;
  if (error instanceof DeadlineExceeded) return new IntegrationFailure(504, error.message);
  if (error instanceof GatewayError) return new IntegrationFailure(502, error.message);
  if (error instanceof LambdaServiceError) {
    return new IntegrationFailure(500, `Lambda refused: ${error.code}: ${error.message}`);
  }
  // A defect of this emulator or of the invoker: shown as AWS shows its own, with the stack in the
  // log.
  const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return new IntegrationFailure(500, reason);
}
