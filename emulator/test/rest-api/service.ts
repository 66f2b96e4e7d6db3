import {
  type RestApi,
  type RestApiOptions,
  startRestApi,
} from '../../src/services/rest-api/rest-api';
import { type Functions, functions } from './functions';
import { BASE, type Resources, stackOf } from './stack';

const running: RestApi[] = [];

afterEach(async () => {
  await Promise.all(running.splice(0).map((api) => api.stop()));
});

export interface Service {
  readonly api: RestApi;
  readonly port: number;
  readonly invoked: Functions;
}

/** A gateway on a free port, stopped after the test. */
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
  running.push(api);
  return { api, port: Number(new URL(api.baseUrl).port), invoked };
}
