/** The functions behind the REST API, as their handlers make them. */
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { BucketIds } from '../../../core/buckets/bucket-ids';
import { createAuthorizer } from '../../../lambdas/authorizer/app';
import { ofEvents } from '../../../lambdas/runtime/rest-event';
import { createChanges } from '../../../service/changes-api';
import { createDownload } from '../../../service/download-api';
import type { HttpResponse } from '../../../service/http/response';
import { createLinks, isLink } from '../../../service/links/links';
import { createApi } from '../../../service/storage-api';
import { type AuthorizerFunction, GatewayAuthorizer } from './authorizer';
import type { DepsOf } from './deployment';

import { type HttpFunctions, ORIGIN } from './gateway';
import { LambdaFunction } from './lambda-function';
import type { Simulation } from './simulation';

export function startHttpFunctions(simulation: Simulation, depsOf: DepsOf): HttpFunctions {
  const api = new LambdaFunction<APIGatewayProxyEvent, HttpResponse>(simulation, {
    ...{ name: 'api', timeoutMs: 29_000, concurrency: 50 },
    start: (ports) => {
      const deps = depsOf(ports);
      const { links, apiKeys } = ports;
      const linksAndKeys = { links, apiKeys, baseUrl: `${ORIGIN}/` };
      return ofEvents(
        createApi({ ...deps, linksAndKeys, bucketIds: new BucketIds(ports.buckets) }),
      );
    },
  });
  const changes = new LambdaFunction<APIGatewayProxyEvent, HttpResponse>(simulation, {
    ...{ name: 'changes', timeoutMs: 29_000, concurrency: 50 },
    start: (ports) => ofEvents(createChanges(depsOf(ports))),
  });
  const download = new LambdaFunction<APIGatewayProxyEvent, HttpResponse>(simulation, {
    ...{ name: 'download', timeoutMs: 29_000, concurrency: 50 },
    start: (ports) => {
      const deps = { ...depsOf(ports), bucketIds: new BucketIds(ports.buckets) };
      const ofKeys = createDownload(deps);
      const ofLinks = createLinks({ ...deps, contentOrigin: ORIGIN });
      return ofEvents((request) => (isLink(request) ? ofLinks(request) : ofKeys(request)));
    },
  });
  const authorizer: AuthorizerFunction = new LambdaFunction(simulation, {
    ...{ name: 'authorizer', timeoutMs: 5_000, concurrency: 50 },
    start: (ports) => createAuthorizer(depsOf(ports)),
  });
  return { api, changes, download, authorizer: new GatewayAuthorizer(simulation, authorizer) };
}
