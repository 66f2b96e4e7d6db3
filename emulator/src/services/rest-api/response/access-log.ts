/** Writes the access log in the format of the stage's AccessLogSetting, one line per request. */

import type { GatewayError } from '../gateway-responses/gateway-responses';
import { compileTemplate, type Variables } from '../gateway-responses/variables';
import type { RestApiModel } from '../model/model';
import type { Exchange } from './exchange';

/** The facts about a request that are known when its response is sent. */
export interface Progress {
  context: Variables['context'];
  error?: GatewayError;
}

export type AccessLog = (exchange: Exchange, progress: Progress, now: number) => void;

/** Returns undefined when the stage has no access log, or `write` is absent. */
export function createAccessLog(
  model: RestApiModel,
  write: ((line: string) => void) | undefined,
): AccessLog | undefined {
  if (write === undefined || model.accessLogFormat === undefined) return undefined;
  const template = compileTemplate(model.accessLogFormat);
  return (exchange, { context, error }, now) => {
    const known = {
      ...context,
      requestId: exchange.requestId,
      extendedRequestId: exchange.extendedRequestId,
      xrayTraceId: exchange.traceId.slice('Root='.length),
      status: exchange.response.statusCode,
      responseLength: exchange.responseLength,
      responseLatency: now - exchange.time,
      integrationLatency: exchange.integrationLatency,
      integration: {
        latency: exchange.integrationLatency,
        error: exchange.integrationLatency === undefined ? undefined : error?.reason,
      },
      ...(error && {
        error: {
          message: error.shown ?? '-',
          messageString: JSON.stringify(error.shown),
          responseType: error.type,
        },
      }),
    };
    // AWS writes a dash for a variable without a value.
    const variables = { context: known, stageVariables: model.stageVariables };
    write(template.render(variables, '-', insideString));
  };
}

/**
 * Formats put variables between quotes, and a path may contain quotes. `messageString` contains its
 * own quotes.
 */
function insideString(text: string, name: string): string {
  return name === 'context.error.messageString' ? text : JSON.stringify(text).slice(1, -1);
}
