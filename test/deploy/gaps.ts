/**
 * What MiniStack's WebSocket APIs do otherwise than AWS: ministack.md. When one of these fails, MiniStack has become better; then
 * the row goes, and the documented behaviour is what channel.ts should ask for.
 */
import assert from 'node:assert/strict';
import { Follower, opened } from './follower';

async function gaps(base: string, key: string): Promise<void> {
  const url = `${base.replace('http', 'ws')}/api/v2/storage/sync`;

  const status = await Follower.open(url);
  assert.equal(status, 403, 'AWS answers the status of the function, here 401');

  const follower = await opened(url, { authorization: `Bearer ${key}` });
  follower.send({ action: 'ping', padding: 'x'.repeat(200_000) });
  await follower.told('error');
  assert.equal(follower.closed, undefined, 'AWS closes with 1009 above 32 KB a frame');
  follower.close();
}

const { BASE_URL, API_KEY } = process.env;
if (BASE_URL === undefined || API_KEY === undefined)
  throw new Error('BASE_URL or API_KEY is not set');
void gaps(BASE_URL, API_KEY).then(() => console.log('gaps as written down'));
