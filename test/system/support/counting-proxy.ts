/** A proxy in front of a DynamoDB server that counts the calls to it. */
import { once } from 'node:events';
import { Agent, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

export interface CountingProxy {
  readonly endpoint: string;
  /** Calls so far by operation and a part of the table's name, such as `UpdateItem Rates`. */
  count(operation: string, table: string): number;
  stop(): Promise<void>;
}

export async function startCountingProxy(endpoint: string): Promise<CountingProxy> {
  const { hostname, port } = new URL(endpoint);
  const agent = new Agent({ keepAlive: true });
  const calls: { readonly operation: string; readonly table: string }[] = [];
  const server = createServer(async (incoming, outgoing) => {
    const body = await buffer(incoming);
    const [, operation = ''] = String(incoming.headers['x-amz-target']).split('.');
    const [, table = ''] = /"TableName":"([^"]+)"/.exec(body.toString()) ?? [];
    calls.push({ operation, table });
    const { method, url, headers } = incoming;
    const onward = request({ hostname, port, method, path: url, headers, agent }, (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(outgoing);
    });
    onward.on('error', () => outgoing.destroy());
    onward.end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    count: (operation, table) =>
      calls.filter((call) => call.operation === operation && call.table.includes(table)).length,
    stop: async () => {
      server.close();
      server.closeAllConnections();
      agent.destroy();
    },
  };
}
