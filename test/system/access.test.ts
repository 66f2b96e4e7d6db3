/**
 * A stack whose functions use the service without an API key: each has exactly the permissions that
 * it was granted, whichever function it invokes and whatever it sends.
 */
import { type Access, startAccess } from './access/service';

let access: Access;
beforeAll(async () => {
  access = await startAccess();
});
afterAll(() => access.stop());

const as: Access['as'] = (...task) => access.as(...task);
const status: Access['status'] = (...request) => access.status(...request);

const refused = (code: string) => ({
  error: expect.objectContaining({ name: 'StowageError', code }),
});

test('a function with `write` and `read` uses both through the client', async () => {
  const put = await as('writer', { do: 'put', bucket: 'photos', key: 'public/ä b', body: 'two' });
  expect(put).toMatchObject({ value: { key: 'public/ä b', version: 1 } });
  expect(await as('writer', { do: 'get', bucket: 'photos', key: 'public/ä b' })).toEqual({
    value: 'two',
  });
  const gone = await as('writer', { do: 'delete', bucket: 'photos', key: 'public/ä b' });
  expect(gone).toMatchObject({ value: { version: 2 } });
});

test('a function with `read` on one bucket can neither write there nor read another bucket', async () => {
  const bucket = 'photos';
  expect(await as('reader', { do: 'get', bucket, key: 'public/a' })).toEqual({ value: 'one' });
  expect(await as('reader', { do: 'list', bucket })).toMatchObject({
    value: expect.arrayContaining(['public/a']),
  });
  const body = 'mine';
  expect(await as('reader', { do: 'put', bucket, key: 'a', body })).toEqual(refused('forbidden'));
  expect(await as('reader', { do: 'upload', bucket, key: 'a', body })).toEqual(
    refused('forbidden'),
  );
  expect(await as('reader', { do: 'delete', bucket, key: 'public/a' })).toEqual(
    refused('forbidden'),
  );
  expect(await as('reader', { do: 'list', bucket: 'other' })).toEqual(refused('forbidden'));
});

test('a function gains no permission by invoking other functions or claiming another principal', async () => {
  const own = access.addressOf('reader');
  const foreign = access.addressOf('writer');
  const bare = own.slice(0, own.lastIndexOf(':'));
  expect(foreign.slice(0, foreign.lastIndexOf(':'))).toBe(bare);
  const put = { body: 'mine' };
  const at = '/objects/photos/public/a';
  for (const name of [foreign, bare, `${bare}:$LATEST`, bare.split(':').at(-1) ?? '']) {
    expect(await status('reader', 'PUT', at, { ...put, name })).toBe('AccessDeniedException');
  }
  const [qualifier = ''] = foreign.split(':').slice(-1);
  const other = await status('reader', 'PUT', at, { ...put, name: bare, qualifier });
  expect(other).toBe('AccessDeniedException');
  const both = await status('reader', 'PUT', at, { ...put, qualifier });
  expect(both).toBe('InvalidParameterValueException');
  expect(await status('reader', 'PUT', at, put)).toBe(403);
  expect(await status('reader', 'PUT', '/objects/photos/../photos/public/a', put)).toBe(400);
  const headers = {
    authorization: `Bearer ${access.service.apiKey}`,
    'x-http-method-override': 'PUT',
  };
  expect(await status('reader', 'PUT', at, { ...put, headers })).toBe(400);
  const payload = { method: 'PUT', path: `/api/v2/storage${at}`, ...put, alias: qualifier };
  expect(await as('reader', { do: 'invoke', payload })).toMatchObject({ value: { status: 400 } });
  expect(await as('reader', { do: 'get', bucket: 'photos', key: 'public/a' })).toEqual({
    value: 'one',
  });
});

test('IAM refuses a function without a grant, even if it knows the name of the internal function', async () => {
  expect(await as('stranger', { do: 'list', bucket: 'photos' })).toEqual(refused('forbidden'));
  expect(await status('stranger', 'GET', '/buckets')).toBe('AccessDeniedException');
});

test('a function with `sync` receives the changes below its prefix, and mirrors them', async () => {
  const write = async (key: string) =>
    as('writer', { do: 'put', bucket: 'photos', key, body: 'x' });
  await write('private/x');
  await write('public/first');
  const follow = {
    do: 'follow',
    bucket: 'photos',
    prefix: 'public/',
    until: 'public/last',
  } as const;
  const following = as('follower', follow);
  const mirroring = as('follower', { ...follow, do: 'mirror' });
  await write('public/last');
  const { value: keys } = (await following) as { value: string[] };
  expect(keys).toEqual(expect.arrayContaining(['public/a', 'public/first', 'public/last']));
  expect(keys).not.toContain('private/x');
  const { value: events } = (await mirroring) as { value: string[] };
  expect(events).toContain('snapshot public/first');
  expect(events.at(-1)).toMatch(/^(snapshot|put) public\/last$/);
  const everything = await as('follower', { ...follow, prefix: '' });
  expect(everything).toEqual(refused('forbidden'));
  expect(await as('follower', { do: 'get', bucket: 'photos', key: 'public/a' })).toEqual(
    refused('forbidden'),
  );
});
