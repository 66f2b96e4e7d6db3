import { LOG_STREAM, useClient, useService } from './service';

test('arrival resolves with the next record of the shard, at once after an older one, and when it is aborted', async () => {
  const service = await useService();
  const client = useClient(service.endpoint);
  const put = (id: string) =>
    client.putItem({ TableName: 'Log', Item: { id: { S: id }, n: { N: '1' } } });
  const [shard] = service.streams.shards(LOG_STREAM);
  if (shard === undefined) throw new Error('no shard');
  const { signal } = new AbortController();
  const read = async (after?: string) => {
    const [record] = await service.streams.read(shard, after, 1);
    return record?.dynamodb.SequenceNumber;
  };

  const first = service.streams.arrival(shard, undefined, signal);
  await put('a');
  await first;
  const a = await read();
  expect(a).toBeDefined();
  await service.streams.arrival(shard, undefined, signal);

  const second = service.streams.arrival(shard, a, signal);
  await put('b');
  await second;
  expect(await read(a)).toBeDefined();

  const stop = new AbortController();
  const never = service.streams.arrival(shard, await read(a), stop.signal);
  stop.abort();
  await never;
});
