// One transfer in a process of its own, which a test kills: `node killed-transfer.mjs SETTINGS`.
// Prints the number of each part that it sends, or how many bytes it has received, and `done`.
import { subscribe } from 'node:diagnostics_channel';
import { fileResume, StowageClient } from '../../../dist/client/index.mjs';

const { kind, baseUrl, apiKey, path, notes, concurrency } = JSON.parse(process.argv[2]);

// Not a `fetch` of its own, with which the client would not send as it does by default.
subscribe('http.client.request.start', ({ request }) => {
  const part = new URLSearchParams(request.path.split('?')[1]).get('partNumber');
  if (part !== null) console.log(`begin ${part}`);
});

let printed = 0;
const onProgress = ({ received }) => {
  if (printed !== 0 && received < printed + 1024 ** 2) return;
  printed = received;
  console.log(`received ${received}`);
};

const client = new StowageClient({ baseUrl, apiKey });
if (kind === 'upload') {
  const options = { resume: fileResume(notes), concurrency };
  await client.upload('photos', 'killed', { path }, options);
} else {
  await client.download('photos', 'killed', { path }, { concurrency, onProgress });
}
console.log('done');
