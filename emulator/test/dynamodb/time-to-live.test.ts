import { until } from '../support/until';
import { LOG_SHARD, useClient, useService } from './service';

test('deletes expired items only, and names the service in their stream records', async () => {
  const service = await useService({ ttlIntervalMilliseconds: 5 });
  const client = useClient(service.endpoint);
  const now = Math.floor(Date.now() / 1000);
  const ttls = {
    expired: { N: `${now - 10}` },
    later: { N: `${now + 3600}` },
    text: { S: `${now - 10}` },
    mistake: { N: `${now - 6 * 365 * 86_400}` },
  };
  for (const [id, ttl] of Object.entries(ttls)) {
    const Item = { id: { S: id }, n: { N: '1' }, ttl };
    await client.putItem({ TableName: 'Notes', Item });
    await client.putItem({ TableName: 'Log', Item });
  }

  const removal = await until(async () => {
    const records = await service.streams.read(LOG_SHARD, undefined, 100);
    return records.find((record) => record.eventName === 'REMOVE');
  });
  const ids = await until(async () => {
    const { Items = [] } = await client.scan({ TableName: 'Notes' });
    return Items.length < 4 ? Items.map((item) => item.id?.S).sort() : undefined;
  });

  expect(removal).toMatchObject({
    userIdentity: { type: 'Service', principalId: 'dynamodb.amazonaws.com' },
    dynamodb: { Keys: { id: { S: 'expired' }, n: { N: '1' } } },
  });
  expect(ids).toEqual(['later', 'mistake', 'text']);
});

test('DescribeTimeToLive returns the name of the attribute', async () => {
  const client = useClient((await useService()).endpoint);
  const described = await client.describeTimeToLive({ TableName: 'Notes' });
  expect(described.TimeToLiveDescription).toEqual({
    TimeToLiveStatus: 'ENABLED',
    AttributeName: 'ttl',
  });
});
