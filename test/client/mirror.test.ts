import { WebSocket } from 'undici';
import { type MirrorEvent, StowageClient } from '../../client';
import { KEY, type ModelService, startModelService } from './model-service';

let service: ModelService;

beforeEach(async () => {
  service = await startModelService();
  service.model.create('photos');
});

afterEach(() => service.stop());

function put(...keys: readonly string[]): void {
  service.model.commit(
    'photos',
    keys.map((key) => ({ type: 'put', key })),
  );
}

function text(event: MirrorEvent): string {
  if (event.type === 'reset') return `reset: ${event.reason}`;
  return `${event.type} ${event.type === 'cursor' ? event.cursor : event.object.key}`;
}

test.each(['websocket', 'poll'] as const)(
  'mirror by %s returns a snapshot, then changes, and restarts when the bucket was replaced',
  async (transport) => {
    put('a', 'b', 'c', 'a');
    const client = new StowageClient({
      baseUrl: service.baseUrl,
      apiKey: KEY,
      webSocket: (url, headers) => new WebSocket(url, { headers }),
    });
    const seen: string[] = [];
    for await (const event of client.mirror('photos', { transport })) {
      seen.push(text(event));
      if (text(event) === 'cursor 4') put('d');
      if (text(event) === 'cursor 5') {
        service.model.create('photos');
        put('new');
        // A follower learns of the new incarnation only when it subscribes again.
        for (const { socket } of service.connections) socket.terminate();
      }
      if (text(event) === 'cursor 1') break;
    }
    expect(seen).toEqual([
      'reset: start',
      'snapshot a',
      'snapshot b',
      'snapshot c',
      'cursor 4',
      'put d',
      'cursor 5',
      'reset: bucket_replaced',
      'snapshot new',
      'cursor 1',
    ]);
    expect(service.connections.length > 0).toBe(transport === 'websocket');
  },
);
