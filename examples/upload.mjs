// node examples/upload.mjs <bucket>/<key> <file>: uploads a file of any size to S3, in parts.
// Requires BASE_URL and API_KEY in the environment, and Node.js without any package.
import { open } from 'node:fs/promises';

const { BASE_URL, API_KEY } = process.env;
const [target, path] = process.argv.slice(2);
if (!BASE_URL || !API_KEY || !target?.includes('/') || !path) {
  console.error('usage: BASE_URL=… API_KEY=… node examples/upload.mjs <bucket>/<key> <file>');
  process.exit(2);
}
const bucket = target.slice(0, target.indexOf('/'));
const key = target.slice(bucket.length + 1);

/** Throws an error with the body of the response when its status is not 2xx. */
async function send(url, options) {
  const response = await fetch(url, options);
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.status} ${text}`);
  return { text, etag: response.headers.get('etag') };
}

const file = await open(path);
const { size } = await file.stat();
const signed = await send(`${BASE_URL}/api/v2/storage/signed-url`, {
  method: 'POST',
  headers: { Authorization: `Bearer ${API_KEY}` },
  body: JSON.stringify({ bucket, key, method: 'PUT', expires_in: 3600, multipart: { size } }),
});
const { part_size: partSize, parts, complete } = JSON.parse(signed.text);

const etags = [];
for (const { number, url } of parts) {
  const start = (number - 1) * partSize;
  const body = Buffer.alloc(Math.min(partSize, size - start));
  await file.read(body, 0, body.length, start);
  const { etag } = await send(url, { method: 'PUT', body });
  etags.push(`<Part><PartNumber>${number}</PartNumber><ETag>${etag}</ETag></Part>`);
  console.log(`part ${number} of ${parts.length}`);
}
await file.close();
await send(complete.url, {
  method: complete.method,
  headers: complete.headers,
  body: `<CompleteMultipartUpload>${etags.join('')}</CompleteMultipartUpload>`,
});

// S3 reports the upload to the service, usually within a second. Then the service commits the
// object.
const object = `${BASE_URL}/api/v2/storage/objects/${bucket}/${key.split('/').map(encodeURIComponent).join('/')}`;
for (let tries = 0; tries < 120; tries++) {
  const response = await fetch(`${object}?view=descriptor`, {
    headers: { Authorization: `Bearer ${API_KEY}` },
  });
  const descriptor = response.ok ? await response.json() : undefined;
  if (descriptor?.size === size) {
    console.log(JSON.stringify(descriptor));
    process.exit(0);
  }
  await new Promise((resolve) => setTimeout(resolve, 500));
}
throw new Error('S3 has the bytes, but the object has not appeared within a minute');
