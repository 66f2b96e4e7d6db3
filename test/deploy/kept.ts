/**
 * Checks that an update of a stack keeps what is stored, and that a second stack in the same
 * account is separate.
 */
import assert from 'node:assert/strict';

/** A deployment as a client knows it. */
export interface Deployment {
  /** Origin without a final slash. */
  readonly url: string;
  readonly key: string;
}

const BUCKET = 'kept';
const BODY = 'stored before the update';

export async function store(deployment: Deployment): Promise<void> {
  assert.equal((await send(deployment, 'POST', '/buckets', `{"name":"${BUCKET}"}`)).status, 201);
  assert.equal((await send(deployment, 'PUT', `/objects/${BUCKET}/a`, BODY)).status, 201);
}

/** After `store` and an update: the object exists, and the change log continues at its cursor. */
export async function expectKept(deployment: Deployment): Promise<void> {
  const found = await send(deployment, 'GET', `/objects/${BUCKET}/a`);
  assert.deepEqual([found.status, await found.text()], [200, BODY]);
  assert.equal((await send(deployment, 'PUT', `/objects/${BUCKET}/b`, 'after it')).status, 201);
  const page = await send(deployment, 'GET', `/sync?bucket=${BUCKET}&cursor=0`);
  const { from, to } = (await page.json()) as { from: number; to: number };
  assert.deepEqual([page.status, from, to], [200, 0, 2]);
}

/**
 * After `store` in the one: the other refuses its key, does not have its bucket, and can create a
 * bucket of the same name.
 */
export async function expectApart(one: Deployment, other: Deployment): Promise<void> {
  assert.equal((await send({ ...other, key: one.key }, 'GET', '/buckets')).status, 401);
  assert.equal((await send(other, 'GET', `/buckets/${BUCKET}`)).status, 404);
  await store(other);
}

function send(
  { url, key }: Deployment,
  method: string,
  path: string,
  body?: string,
): Promise<Response> {
  const headers = { authorization: `Bearer ${key}` };
  return fetch(`${url}/api/v2/storage${path}`, { method, headers, body });
}
