/**
 * Starts the REST and the WebSocket API on one address, behind the rules of the stack's
 * distribution, and the other REST APIs at addresses of their own.
 */

import { UserError } from '../errors/user-error';
import type { Iam } from '../iam/iam';
import { LogFile } from '../machine/log-file';
import { createEdge } from '../services/edge/edge';
import { edgeFront } from '../services/edge/front';
import { type FunctionUrls, readFunctionUrls } from '../services/edge/function-urls';
import { type EdgeModel, readEdge } from '../services/edge/model';
import { upgradeBehindEdge } from '../services/edge/upgrade';
import type { Invoker } from '../services/lambda/invoker';
import { restApisOf } from '../services/rest-api/model/model';
import { type RestApi, startRestApi } from '../services/rest-api/rest-api';
import type { Started } from '../services/service';
import {
  startWebSocketApi,
  type WebSocketApi,
  type WebSocketOptions,
} from '../services/websocket/websocket-api';
import type { ResolvedStack } from '../template/model';

export interface GatewaysOptions {
  readonly stack: ResolvedStack;
  readonly iam: Iam;
  /**
   * Requests wait for it: the gateways must have addresses before the functions start.
   */
  readonly invoker: Promise<Invoker>;
  /** 0: any free port. */
  readonly port: number;
  /** Port of the first of the other REST APIs; the next ones follow. 0: any free ports. */
  readonly otherPort: number;
  /** Absolute folder of the logs. Absent: standard error. */
  readonly logDir?: string;
  readonly websocket?: Pick<
    WebSocketOptions,
    'faults' | 'idleMilliseconds' | 'lifetimeMilliseconds' | 'path'
  >;
}

export interface Gateways extends Started {
  /** Absent when the stack has no distribution. */
  readonly edge?: EdgeModel;
  /** The origin of the distribution, else the first of the template. */
  readonly rest: RestApi;
  /** The stack's other REST APIs, by logical id. */
  readonly others: ReadonlyMap<string, RestApi>;
  /**
   * Absent when the stack has no WebSocket API. `localUrl`:
   * `ws://127.0.0.1:PORT/{path}`.
   */
  readonly websocket?: WebSocketApi & { readonly localUrl: string };
}

/** Throws UserError when the template cannot be emulated or a port is taken. */
export async function startGateways(options: GatewaysOptions): Promise<Gateways> {
  const { stack, iam, port, logDir } = options;
  const invoker = waitFor(options.invoker);
  const { accessLog, executionLog, closeLogs } = openLogs(logDir);
  const model = readEdge(stack);
  const edge = model && createEdge(model, executionLog);
  const functionUrls = readFunctionUrls(stack, model, { invoker, executionLog });
  let websocket: WebSocketApi | undefined;
  let rest: RestApi | undefined;
  const others = new Map<string, RestApi>();
  const stopAll = async () => {
    await websocket?.stop();
    await Promise.all([rest, ...others.values()].map((api) => api?.stop()));
    closeLogs();
  };
  try {
    websocket = await startWebSocketApi({
      ...options.websocket,
      stack,
      iam,
      invoker,
      executionLog,
    });
    const common = { stack, invoker, executionLog, accessLog };
    const [main, ...more] = inOrder(stack, model);
    rest = await startRestApi({
      ...common,
      api: main,
      port,
      front: edge && edgeFront(edge, functionUrls),
      upgrade: edge && websocket ? upgradeBehindEdge(edge, websocket) : websocket?.upgrade,
    });
    for (const [at, api] of more.entries()) {
      const otherPort = options.otherPort === 0 ? 0 : options.otherPort + at;
      others.set(api, await startRestApi({ ...common, api, port: otherPort }));
    }
    const apis = [rest, ...(websocket ? [websocket] : [])];
    if (model) refuseOtherOrigins(model, apis, functionUrls);
  } catch (error) {
    await stopAll();
    throw error;
  }
  const localUrl = `${rest.baseUrl.replace('http', 'ws')}${websocket?.path}`;
  let stopping: Promise<void> | undefined;
  return {
    rest,
    others,
    edge: model,
    websocket: websocket && { ...websocket, localUrl },
    stop: () => {
      stopping ??= stopAll();
      return stopping;
    },
  };
}

function openLogs(logDir: GatewaysOptions['logDir']) {
  const access = new LogFile('access', logDir);
  const execution = new LogFile('api-execution', logDir);
  return {
    accessLog: (line: string) => access.line(line),
    executionLog: (line: string) => execution.line(line),
    closeLogs: () => {
      for (const file of [access, execution]) file.close();
    },
  };
}

/** Returns the logical ids of the REST APIs, first the origin of the distribution. */
function inOrder(stack: ResolvedStack, edge: EdgeModel | undefined): readonly string[] {
  const hosts = [...(edge?.origins.values() ?? [])].map(({ domainName }) => domainName);
  const isOrigin = (id: string) => hosts.some((host) => host.startsWith(`${id}.execute-api.`));
  const apis = restApisOf(stack);
  return [
    ...apis.filter(({ physicalId }) => isOrigin(physicalId)),
    ...apis.filter(({ physicalId }) => !isOrigin(physicalId)),
  ].map(({ logicalId }) => logicalId);
}

/** Refuses origins other than the stages of the stack's two APIs, and URLs of its functions. */
function refuseOtherOrigins(
  { origins }: EdgeModel,
  apis: readonly { readonly url: string }[],
  functionUrls: FunctionUrls,
) {
  const known = apis.map(({ url }) => url.replace('wss:', 'https:'));
  for (const origin of origins.values()) {
    const { id, domainName, path } = origin;
    if (functionUrls.at(origin)) continue;
    const address = `https://${domainName}${path}`;
    if (!known.includes(address)) {
      throw new UserError(
        `origin ${id} of the distribution is ${address}: only ${known.join(' and ')} are supported`,
      );
    }
  }
}

function waitFor(invoker: Promise<Invoker>): Invoker {
  return {
    invoke: async (...invocation) => (await invoker).invoke(...invocation),
    invokeStream: async (...invocation) => (await invoker).invokeStream(...invocation),
    invokeAsync: async (...invocation) => (await invoker).invokeAsync(...invocation),
  };
}
