/**
 * A smoke test of a deployment, STOWAGE_URL with STOWAGE_KEY: writes and reads one object, and
 * uploads one with a signed URL, which needs S3's event and the ingest function. Runs as a process
 * of its own, because Node.js reads the trusted certificates when it starts.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { until } from '../support/until';

/** Throws on the first response that is not as documented in docs/api.md. */
async function smoke(url: string, key: string): Promise<void> {
  const storage = `${url}/api/v2/storage`;
  const authorization = { authorization: `Bearer ${key}` };
  const bucket = `smoke-${Date.now()}`;
  const object = `${storage}/objects/${bucket}/folder/first%20file.bin`;
  const bytes = randomBytes(100_000);

  await expectStatus(401, fetch(`${storage}/buckets`));
  await expectStatus(201, post(`${storage}/buckets`, authorization, { name: bucket }));
  await expectStatus(201, fetch(object, { method: 'PUT', headers: authorization, body: bytes }));
  const response = await expectStatus(200, fetch(object, { headers: authorization }));
  assert.deepEqual(Buffer.from(await response.arrayBuffer()), bytes);

  const target = { bucket, key: 'signed', method: 'PUT', content_length: bytes.length };
  const minted = await expectStatus(201, post(`${storage}/signed-url`, authorization, target));
  const signed = (await minted.json()) as { url: string; headers: Record<string, string> };
  await expectStatus(
    200,
    fetch(signed.url, { method: 'PUT', headers: signed.headers, body: bytes }),
  );
  const appeared = `${storage}/objects/${bucket}/signed`;
  await until('the signed upload to appear', async () => {
    const { status } = await fetch(appeared, { method: 'HEAD', headers: authorization });
    return status === 200;
  });

  for (const uploaded of [object, appeared]) {
    await expectStatus(200, fetch(uploaded, { method: 'DELETE', headers: authorization }));
  }
  const emptied = `${storage}/buckets/${bucket}`;
  await expectStatus(204, fetch(emptied, { method: 'DELETE', headers: authorization }));
}

function post(url: string, headers: Record<string, string>, body: unknown): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

async function expectStatus(status: number, pending: Promise<Response>): Promise<Response> {
  const response = await pending;
  if (response.status !== status) {
    throw new Error(`${response.url}: ${response.status}, not ${status}: ${await response.text()}`);
  }
  return response;
}

const { STOWAGE_URL, STOWAGE_KEY } = process.env;
if (STOWAGE_URL === undefined || STOWAGE_KEY === undefined)
  throw new Error('STOWAGE_URL or STOWAGE_KEY is not set');
void smoke(STOWAGE_URL, STOWAGE_KEY).then(() => console.log('smoke test passed'));
