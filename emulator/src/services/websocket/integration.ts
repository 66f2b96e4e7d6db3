/** Invokes the function of a route and validates its output. */
import { isRecord } from '../../values/json';
import { type Invoker, LambdaServiceError } from '../lambda/invoker';
import { GatewayError } from '../rest-api/gateway-responses/gateway-responses';
import { DeadlineExceeded, within } from '../rest-api/limits/deadline';
import { type BufferedResponse, bufferedResponse } from '../rest-api/response/response';
import { type Route, sourceArn, type WebSocketModel } from './model';

/** The function was not invoked, failed, timed out, or returned a malformed response. */
export class IntegrationFailure extends Error {
  constructor(
    /** Status of the response to a handshake. */
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
    return parseResponse(payload);
  } catch (error) {
    throw asFailure(error);
  }
}

/** Unlike for REST APIs, AWS reports an internal error for output without `statusCode`. */
function parseResponse(payload: string): BufferedResponse {
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
  // A defect of the emulator or of the invoker: the client gets AWS's 500, the log the stack.
  const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return new IntegrationFailure(500, reason);
}
