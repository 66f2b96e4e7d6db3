import { it, needing } from '../../support/behaviour';
import { useBucket } from '../../support/buckets';
import { openChannel } from '../../support/channel';
import { call, callJson } from '../../support/http';
import { revokeKey, useKey } from '../../support/keys';
import { listPath } from '../../support/listing';
import { objectPath, put } from '../../support/objects';
import { expectError, expectStatus, jsonOf } from '../../support/responses';
import { signUrl, useUrl } from '../../support/signed';
import { until } from '../../support/wait';

const TOKENS = '/api/v2/storage/tokens';

async function temporary(permissions: object[], how: { key?: string } = {}): Promise<string> {
  const made = expectStatus(await callJson('POST', TOKENS, { permissions }, how), 201);
  return String(jsonOf(made).token);
}

describe('A temporary key', () => {
  const bucket = useBucket('temporary');
  const own = (actions: string[]) => [{ buckets: [bucket], prefix: 'users/1/', actions }];
  beforeAll(async () => {
    await put(bucket, 'users/1/a', 'mine');
    await put(bucket, 'users/2/a', 'theirs');
  });

  it('has the permissions that it was made with, and no others', async () => {
    const key = await temporary(own(['read', 'write', 'list', 'sign']));
    expectStatus(await call('GET', objectPath(bucket, 'users/1/a'), { key }), 200);
    expectError(await call('GET', objectPath(bucket, 'users/2/a'), { key }), 403);
    expectError(await call('DELETE', objectPath(bucket, 'users/1/a'), { key }), 403);
    const page = expectStatus(await call('GET', listPath(bucket, {}), { key }), 200);
    expect(jsonOf(page).objects).toMatchObject([{ key: 'users/1/a' }]);
    const url = await signUrl({ bucket, key: 'users/1/a', method: 'GET' }, { key });
    expect(expectStatus(await useUrl(url), 200).body.toString()).toBe('mine');
    expectError(
      await callJson(
        'POST',
        '/api/v2/storage/signed-url',
        { bucket, key: 'users/2/a', method: 'GET' },
        { key },
      ),
      403,
    );
  });

  it('has at most the permissions of its maker, lasts at most twelve hours, and cannot make another', async () => {
    const key = await temporary(own(['read']));
    expectError(await callJson('POST', TOKENS, { permissions: own(['read']) }, { key }), 403);
    const long = { permissions: own(['read']), expires_in: 43_201 };
    expectError(await callJson('POST', TOKENS, long), 400, { field: 'expires_in' });
    expectError(await callJson('POST', TOKENS, {}), 400, { field: 'permissions' });
    expectError(await call('GET', TOKENS), 405);
  });

  it('expires', async () => {
    const permissions = own(['read']);
    const made = await callJson('POST', TOKENS, { permissions, expires_in: 2 });
    const key = String(jsonOf(expectStatus(made, 201)).token);
    expectStatus(await call('GET', objectPath(bucket, 'users/1/a'), { key }), 200);
    const response = await until('401', async () => {
      const answer = await call('GET', objectPath(bucket, 'users/1/a'), { key });
      return answer.status === 401 ? answer : undefined;
    });
    expect(response.status).toBe(401);
  });

  it('is refused with 401 when its text was altered', async () => {
    const key = await temporary(own(['read']));
    const changed = key.replace(/^ost_./, (start) => (start === 'ost_A' ? 'ost_B' : 'ost_A'));
    expectError(await call('GET', objectPath(bucket, 'users/1/a'), { key: changed }), 401);
  });

  it('opens a channel within its permissions', ['channel'], async () => {
    const key = await temporary(own(['sync']));
    const channel = await openChannel({ key, query: { bucket, prefix: 'users/1/' } });
    channel.close();
  });
});

needing(['key-revocation', 'restricted-keys'], () => {
  describe('A temporary key whose maker was revoked', () => {
    const bucket = useBucket('temporary-ends');
    const key = useKey({ buckets: [bucket], actions: ['read', 'list'] });

    it('ends with it', async () => {
      await put(bucket, 'a');
      const permissions = [{ buckets: [bucket], actions: ['read'] }];
      const part = await temporary(permissions, { key: key() });
      const more = [{ buckets: [bucket], actions: ['write'] }];
      expectError(await callJson('POST', TOKENS, { permissions: more }, { key: key() }), 403);
      expectStatus(await call('GET', objectPath(bucket, 'a'), { key: part }), 200);
      await revokeKey(key());
      await until('401', async () => {
        const { status } = await call('GET', objectPath(bucket, 'a'), { key: part });
        return status === 401 ? true : undefined;
      });
    });
  });
});
