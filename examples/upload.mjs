// node examples/upload.mjs <bucket>/<key> <file>: uploads a file of any size. Repeat it after an
// interruption: it sends only what is missing. Requires STOWAGE_URL and STOWAGE_KEY in the
// environment, and the client that `npm start` has built.
import { fileResume, StowageClient } from '../dist/client/index.mjs';

const { STOWAGE_URL, STOWAGE_KEY } = process.env;
const [target, path] = process.argv.slice(2);
if (!STOWAGE_URL || !STOWAGE_KEY || !target?.includes('/') || !path) {
  console.error(
    'usage: STOWAGE_URL=… STOWAGE_KEY=… node examples/upload.mjs <bucket>/<key> <file>',
  );
  process.exit(2);
}
const bucket = target.slice(0, target.indexOf('/'));
const key = target.slice(bucket.length + 1);

const client = new StowageClient({ baseUrl: STOWAGE_URL, apiKey: STOWAGE_KEY });
let shown = -1;
const object = await client.upload(
  bucket,
  key,
  { path },
  {
    resume: fileResume(`${path}.upload.json`),
    onProgress({ sent, total }) {
      const percent = Math.floor((100 * sent) / total);
      if (percent > shown) console.error(`${percent} %`);
      shown = Math.max(shown, percent);
    },
  },
);
console.log(JSON.stringify(object));
