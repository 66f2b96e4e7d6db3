import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { App } from '../../service/http/app';
import type { HttpResponse } from '../../service/http/response';
import { requestOf } from '../runtime/rest-event';

/**
 * Serves the site below a stage of API Gateway. The stage without a slash is redirected: a browser
 * would resolve the page's relative paths against the parent of the stage.
 */
export function belowStage(site: App) {
  return async (event: APIGatewayProxyEvent): Promise<HttpResponse> => {
    const { path } = event.requestContext;
    if (event.path !== '/' || path.endsWith('/')) return site(requestOf(event));
    return { status: 308, headers: { Location: `${path}/`, 'Cache-Control': 'no-store' } };
  };
}
