import { PostToConnectionCommand } from '@aws-sdk/client-apigatewaymanagementapi';
import { ConnectionFaults } from '../../src/services/websocket/faults';
import { until } from '../support/until';
import { type Client, type Service, serve } from './service';

async function postAll(service: Service, { connectionId }: Client, count: number) {
  const management = service.management();
  for (let n = 0; n < count; n++) {
    const command = new PostToConnectionCommand({ ConnectionId: connectionId, Data: `${n}` });
    const { $metadata } = await management.send(command);
    expect($metadata.httpStatusCode).toBe(200);
  }
}

test('posts are lost without an error to the sender until the rates are changed', async () => {
  const faults = new ConnectionFaults(7, { drop: 0.5 });
  const service = await serve(undefined, { faults });
  const client = await service.connect();
  await postAll(service, client, 40);
  faults.rates = {};
  await postAll(service, client, 1);
  const lost = faults.fired.get('drop') ?? 0;
  await until(() => client.received.length === 41 - lost);
  expect(lost).toBeGreaterThan(5);
  expect(lost).toBeLessThan(35);
});

test('the same seed causes the same faults', async () => {
  const lost = async (seed: number) => {
    const faults = new ConnectionFaults(seed, { drop: 0.5 });
    const service = await serve(undefined, { faults });
    const client = await service.connect();
    await postAll(service, client, 20);
    faults.rates = {};
    await postAll(service, client, 1);
    await until(() => client.received.at(-1) === '0' && client.received.length > 1);
    return client.received;
  };
  const first = await lost(1);
  expect(await lost(1)).toEqual(first);
  expect(await lost(2)).not.toEqual(first);
});

test('a repeated post arrives twice', async () => {
  const service = await serve(undefined, { faults: new ConnectionFaults(1, { repeat: 1 }) });
  const client = await service.connect();
  await postAll(service, client, 2);
  await until(() => client.received.length === 4);
  expect(client.received).toEqual(['0', '0', '1', '1']);
});

test('posts arrive in another order, and none is lost', async () => {
  const faults = new ConnectionFaults(1, { reorder: 0.5 }, 40);
  const service = await serve(undefined, { faults });
  const client = await service.connect();
  await postAll(service, client, 30);
  await until(() => client.received.length === 30);
  const order = client.received.map(Number);
  expect(order.toSorted((a, b) => a - b)).toEqual([...order.keys()]);
  expect(order).not.toEqual([...order.keys()]);
});

test('messages of a client arrive in another order, and none is lost', async () => {
  const faults = new ConnectionFaults(1, { shuffle: 0.5 }, 40);
  const service = await serve(undefined, { faults });
  const { socket } = await service.connect();
  for (let n = 0; n < 30; n++) socket.send(`${n}`);
  await until(() => service.eventsOf('MESSAGE').length === 30);
  const order = service.eventsOf('MESSAGE').map(({ body }) => Number(body));
  expect(order.toSorted((a, b) => a - b)).toEqual([...order.keys()]);
  expect(order).not.toEqual([...order.keys()]);
});

test.each<[string, (service: Service, client: Client) => unknown]>([
  ['post', (service, client) => postAll(service, client, 1)],
  ['message', (_, { socket }) => socket.send('{}')],
])('a connection is cut at a %s, which is lost', async (_, speak) => {
  const service = await serve(undefined, { faults: new ConnectionFaults(1, { cut: 1 }) });
  const client = await service.connect();
  await speak(service, client);
  expect(await client.closed).toBe(1006);
  await until(() => service.eventsOf('DISCONNECT').length === 1);
  expect(client.received).toEqual([]);
  expect(service.eventsOf('MESSAGE')).toEqual([]);
});

test('the function is not notified of the end of a connection', async () => {
  const faults = new ConnectionFaults(1, { dropDisconnect: 1 });
  const service = await serve(undefined, { faults });
  const unnoticed = await service.connect();
  unnoticed.socket.close();
  await until(() => faults.fired.get('dropDisconnect') === 1);
  faults.rates = {};
  const notified = await service.connect();
  notified.socket.close();
  await until(() => service.eventsOf('DISCONNECT').length === 1);
  const [event] = service.eventsOf('DISCONNECT');
  expect(event?.requestContext.connectionId).toBe(notified.connectionId);
});

test('held posts count towards the buffer of the client', async () => {
  const faults = new ConnectionFaults(1, { reorder: 1 }, 1_000_000_000);
  const service = await serve(undefined, { faults });
  const { connectionId } = await service.connect();
  const management = service.management();
  const Data = 'x'.repeat(131_072);
  const post = () => management.postToConnection({ ConnectionId: connectionId, Data });
  for (let n = 0; n < 8; n++) await post();
  await expect(post()).rejects.toThrow('the buffer of the client is full');
});
