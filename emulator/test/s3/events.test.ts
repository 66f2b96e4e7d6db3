import { failure } from '../contract/s3/failure';
import { until } from '../support/until';
import { BUCKET, openServer, type TestServer } from './server';

async function put(server: TestServer, Key: string, Body: string | Buffer): Promise<void> {
  await server.s3.putObject({ Bucket: BUCKET, Key, Body });
}

describe('events', () => {
  it('describe the change, with rising sequencers', async () => {
    const server = await openServer();
    await put(server, 'a b', 'content');
    await server.s3.deleteObject({ Bucket: BUCKET, Key: 'a b' });
    await server.s3.deleteObject({ Bucket: BUCKET, Key: 'never there' });
    await until(() => server.events.length >= 2);
    expect(server.events).toEqual([
      {
        bucket: BUCKET,
        key: 'a b',
        size: 7,
        etag: '9a0364b9e99bb480dd25e1f0284c8555',
        eventName: 'ObjectCreated:Put',
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        sequencer: expect.stringMatching(/^[0-9A-F]{18}$/),
      },
      expect.objectContaining({ key: 'a b', eventName: 'ObjectRemoved:Delete', size: undefined }),
    ]);
    const [first, second] = server.events;
    expect((second?.sequencer ?? '') > (first?.sequencer ?? '')).toBe(true);
  });

  it('are emitted again after a failure, and at the next start until they succeed', async () => {
    let calls = 0;
    const emit = async (): Promise<void> => {
      calls += 1;
      throw new Error('the consumer is down');
    };
    const server = await openServer({ emit });
    await put(server, 'a', 'content');
    await until(() => calls === 2);
    expect(server.errors).toEqual([
      new Error('the consumer is down'),
      new Error('the consumer is down'),
    ]);
    await server.stop();

    const taken = await openServer({ dataDir: server.dataDir });
    await until(() => taken.events.length === 1);
    expect(taken.events).toMatchObject([{ key: 'a', eventName: 'ObjectCreated:Put' }]);
    const third = await taken.restart();
    await put(third, 'b', 'content');
    await until(() => third.events.length === 1);
    expect(third.events).toMatchObject([{ key: 'b' }]);
  });

  it('are not emitted for refused requests', async () => {
    const server = await openServer();
    await put(server, 'a', 'first');
    const refused = { Bucket: BUCKET, Key: 'a', Body: 'second', IfNoneMatch: '*' };
    expect((await failure(server.s3.putObject(refused))).status).toBe(412);
    await put(server, 'b', 'next');
    await until(() => server.events.length >= 2);
    expect(server.events.map(({ key }) => key)).toEqual(['a', 'b']);
  });
});
