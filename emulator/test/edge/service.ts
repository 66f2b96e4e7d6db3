import { createEdge } from '../../src/services/edge/edge';
import { edgeFront } from '../../src/services/edge/front';
import { readFunctionUrls } from '../../src/services/edge/function-urls';
import { readEdge } from '../../src/services/edge/model';
import { type Functions, functions } from '../rest-api/functions';
import { type Service, serve } from '../rest-api/service';
import { type Resources, stackOf } from '../rest-api/stack';

export interface EdgeService extends Service {
  /** The function behind a URL. */
  readonly behindUrl: Functions;
  /** The execution log of the distribution and of its functions. */
  readonly log: readonly string[];
}

/**
 * Starts the REST API of a template behind its distribution. `files` is the function behind a URL;
 * `now` returns milliseconds since the epoch. Stopped after the test.
 */
export async function serveBehindEdge(
  resources: Resources,
  { api = () => ({ statusCode: 200, body: 'ok' }), files }: Parameters<typeof functions>[0] = {},
  now = Date.now,
): Promise<EdgeService> {
  const stack = stackOf(resources);
  const model = readEdge(stack);
  if (model === undefined) throw new Error('no distribution');
  const log: string[] = [];
  const executionLog = (line: string) => log.push(line);
  const behindUrl = functions({ ...(files && { files }) });
  const functionUrls = readFunctionUrls(stack, model, { invoker: behindUrl, executionLog });
  const front = edgeFront(createEdge(model, executionLog, now), functionUrls);
  return { ...(await serve({ api }, { resources, front, now })), behindUrl, log };
}
