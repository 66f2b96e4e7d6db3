import {
  type RestApi,
  type RestApiOptions,
  startRestApi,
} from '../../src/services/rest-api/rest-api';
import { afterTest } from '../support/clean-up';
import { type Functions, functions } from './functions';
import { BASE, type Resources, stackOf } from './stack';

export interface Service {
  readonly api: RestApi;
  readonly port: number;
  readonly invoked: Functions;
}

/** Starts a gateway on a free port, which is stopped after the test. */
export async function serve(
  handlers: Parameters<typeof functions>[0],
  options: Partial<RestApiOptions> & { resources?: Resources } = {},
): Promise<Service> {
  const { resources = BASE, ...rest } = options;
  const invoked = functions(handlers);
  const api = await startRestApi({
    stack: stackOf(resources),
    invoker: invoked,
    port: 0,
    ...rest,
    bounds: { stopMs: 50, ...rest.bounds },
  });
  afterTest(() => api.stop());
  return { api, port: Number(new URL(api.baseUrl).port), invoked };
}
