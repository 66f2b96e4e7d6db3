// Exercises the client in any runtime: uploads 12 MB, lists and downloads it, and follows a change.
// Nothing here is specific to a runtime, so that browsers and workers can run it too.

const BYTES = 12_000_000;

/** Throws Error when the client does not do what it should. */
export async function exercise({ StowageClient }, { baseUrl, apiKey, bucket, prefix, files }) {
  const client = new StowageClient({ baseUrl, apiKey });
  const content = new Uint8Array(BYTES);
  for (let at = 0; at < BYTES; at += 65_536) {
    crypto.getRandomValues(content.subarray(at, at + 65_536));
  }
  const key = `${prefix}film.bin`;
  const followed = follow(client, bucket, prefix, key);

  let sent = 0;
  const onProgress = (progress) => {
    sent = progress.sent;
  };
  const source = files ? { path: await files.write(content) } : new Blob([content]);
  const object = await client.upload(bucket, key, source, { onProgress, contentType: 'video/mp4' });
  expect('size', object.size, BYTES);
  expect('sent', sent, BYTES);

  const keys = [];
  for await (const each of client.objects(bucket, { prefix })) keys.push(each.key);
  expect('keys', keys, [key]);

  let at = 0;
  const target = new WritableStream({
    write(chunk) {
      const isSame = chunk.every((byte, index) => byte === content[at + index]);
      if (!isSame) throw new Error(`other bytes than were sent, after ${at}`);
      at += chunk.length;
    },
  });
  await client.download(bucket, key, target);
  expect('received', at, BYTES);
  if (files) {
    await client.download(bucket, key, { path: files.target });
    expect('file', await files.isSame(content), true);
  }

  const change = await followed;
  expect('change', [change.type, change.object.size], ['put', BYTES]);
  await client.delete(bucket, key);
  return `${change.object.key} at cursor ${change.cursor}`;
}

async function follow(client, bucket, prefix, key) {
  const { cursor } = await client.list(bucket, { prefix, limit: 1 });
  for await (const change of client.sync({ [bucket]: { cursor, prefix } })) {
    if (change.object.key === key) return change;
  }
  throw new Error('the subscription has ended');
}

function expect(what, found, wanted) {
  if (JSON.stringify(found) === JSON.stringify(wanted)) return;
  throw new Error(`${what}: ${JSON.stringify(found)} instead of ${JSON.stringify(wanted)}`);
}
