import { useFolder } from '../support/clean-up';
import { LOG_STREAM, useClient, useService } from './service';

test('has four shards by default, and the records of an item in one of them', async () => {
  const dataDir = useFolder();
  const service = await useService({ dataDir, streamDisorder: { seed: 0, shards: undefined } });
  const client = useClient(service.endpoint);
  const ids = Array.from({ length: 20 }, (_, index) => `item-${index}`);
  for (const round of ['1', '2', '3']) {
    await Promise.all(
      ids.map((id) => {
        const Item = { id: { S: id }, n: { N: '1' }, round: { N: round } };
        return client.putItem({ TableName: 'Log', Item });
      }),
    );
  }
  const shards = service.streams.shards(LOG_STREAM);
  const records = await Promise.all(
    shards.map((shard) => service.streams.read(shard, undefined, 100)),
  );

  expect(shards).toHaveLength(4);
  const rounds = records.map((shard) => {
    const seen = new Map<unknown, unknown[]>();
    for (const { dynamodb } of shard) {
      const { id, round } = dynamodb.NewImage as { id: { S: string }; round: { N: string } };
      seen.set(id.S, [...(seen.get(id.S) ?? []), round.N]);
    }
    return seen;
  });
  expect(rounds.every((shard) => shard.size > 0)).toBe(true);
  expect(rounds.flatMap((shard) => [...shard.keys()]).sort()).toEqual([...ids].sort());
  for (const each of rounds.flatMap((shard) => [...shard.values()])) {
    expect(each).toEqual(['1', '2', '3']);
  }
  const eventIds = records.flat().map(({ eventID }) => eventID);
  expect(new Set(eventIds).size).toBe(60);

  // A start with fewer shards loses none.
  await service.stop();
  const again = await useService({ dataDir });
  expect(again.streams.shards(LOG_STREAM)).toEqual(shards);
});
