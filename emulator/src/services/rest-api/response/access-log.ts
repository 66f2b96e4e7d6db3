/** The stage's AccessLogSetting: one line per request in the template's own format. */
import type { Exchange } from '../exchange';
import type { RestApiModel } from '../model/model';
import type { GatewayError } from './gateway-responses';
import { compileTemplate, type Variables } from './variables';

/** What is known of a request when it is answered. */
export interface Progress {
  context: Variables['context'];
  error?: GatewayError;
}

export type AccessLog = (exchange: Exchange, progress: Progress, now: number) => void;

/** undefined: the stage has no access log, or nobody reads it. */
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
    // AWS writes a dash for what has no value.
    const variables = { context: known, stageVariables: model.stageVariables };
    write(template.render(variables, '-', insideString));
  };
}

/**
 * Formats put variables between quotes, which a path may contain. The one exception brings its own.
 */
function insideString(text: string, name: string): string {
  return name === 'context.error.messageString' ? text : JSON.stringify(text).slice(1, -1);
}
