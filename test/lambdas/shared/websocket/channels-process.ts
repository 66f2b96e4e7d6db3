/**
 * Calls of GatewayChannels in a process of its own. Jest's modules have another `Error` than Node's
 * network has, so the SDK there wraps what breaks a connection beyond recognition. Started by
 * gateway-channels.test.ts.
 */
import { createConnectionsClient } from '../../../../lambdas/shared/aws-clients';
import { GatewayChannels } from '../../../../lambdas/shared/websocket/channels';

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
  } finally {
    client.destroy();
  }
}

process.on('message', (call: Call) => {
  void perform(call).then((outcome) => process.send?.(outcome));
});
process.on('disconnect', () => process.exit());
