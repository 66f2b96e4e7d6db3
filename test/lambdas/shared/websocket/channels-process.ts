/**
 * Calls GatewayChannels in a process without Jest, started by channels.test.ts. Jest's modules have
 * another `Error` class than Node's network code, so the SDK does not recognize network errors
 * there.
 */
import { GatewayChannels } from '../../../../lambdas/shared/websocket/channels';
import { createConnectionsClient } from '../../../../lambdas/shared/websocket/connections-client';

export interface Call {
  readonly operation: 'post' | 'isOpen' | 'disconnect';
  readonly endpoint: string;
}

export type Outcome = { readonly result: unknown } | { readonly error: string };

async function perform({ operation, endpoint }: Call): Promise<Outcome> {
  const client = createConnectionsClient(endpoint);
  const channels = new GatewayChannels(client);
  try {
    return { result: await channels[operation]('TXzPWdnOjoECGjA=', 'x') };
  } catch (error) {
    return { error: String(error) };
  }
}

process.on('message', (call: Call) => {
  void perform(call).then((outcome) => process.send?.(outcome));
});
process.on('disconnect', () => process.exit());
