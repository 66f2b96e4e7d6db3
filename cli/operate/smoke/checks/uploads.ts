/** Signed URLs: what goes past the functions, straight to S3. */
import { type Check, saw } from '../check';
import { demand, requireStatus, shown } from '../demand';
import { pause, type Service, sha256 } from '../service';
import { send } from '../wire';

/** Time after which an upload that has not become an object counts as lost. */
const PATIENCE_MS = 30_000;

const LARGE = 'large';

export const UPLOAD_CHECKS: readonly Check[] = [
  {
    assumption: 'a signed PUT becomes an object with its size and checksum',
    run: async (service) => {
      const { url, headers, body } = await service.signLarge(LARGE);
      requireStatus(await send('PUT', url, { headers, body }), 200);
      const seconds = await untilThere(service);
      const { headers: found } = await service.call('HEAD', service.object(LARGE));
      const digest = found['repr-digest'];
      demand(digest === `sha-256=:${sha256(body)}:`, `an object with the Repr-Digest ${digest}`);
      const list = await service.call('GET', `/objects/${service.bucket}?prefix=${LARGE}`);
      const hasSize = list.body.includes(`"size":${body.length},`);
      demand(hasSize, `no object of ${body.length} bytes in the list: ${shown(list)}`);
      const again = await send('PUT', url, { headers, body });
      requireStatus(again, 412);
      return saw(`an object after ${seconds} s; a second PUT: status 412`);
    },
  },
  {
    assumption: 'a large download ends with 307 to a signed URL',
    run: async (service) => {
      // Without the check above, the object is missing.
      if ((await service.call('HEAD', service.object(LARGE))).status === 404) {
        const { url, headers, body } = await service.signLarge(LARGE);
        requireStatus(await send('PUT', url, { headers, body }), 200);
        await untilThere(service);
      }
      const reply = await service.call('GET', service.object(LARGE));
      requireStatus(reply, 307);
      const { location } = reply.headers;
      demand(location !== undefined, 'status 307 without Location');
      const bytes = await send('GET', location, { headers: { range: 'bytes=0-6' } });
      requireStatus(bytes, 206);
      demand(bytes.body.toString() === 'stowage', 'other bytes behind the signed URL');
      return saw('status 307, then 206 from S3');
    },
  },
  {
    assumption: 'a signed GET works without a key, until the time that it names',
    run: async (service) => {
      await service.put('signed', 'signed');
      const { url, expires_at } = await service.sign({ key: 'signed', method: 'GET' });
      const reply = await send('GET', String(url));
      requireStatus(reply, 200);
      demand(reply.body.toString() === 'signed', `other bytes: ${shown(reply)}`);
      const seconds = Math.round((Date.parse(String(expires_at)) - serverTime(reply)) / 1000);
      demand(seconds > 0 && seconds <= 300, `an expires_at ${seconds} s from now, not 300`);
      return saw(`status 200, for ${seconds} s`);
    },
  },
];

/** Returns the seconds until the upload has become an object. Throws when it does not. */
async function untilThere(service: Service): Promise<string> {
  const started = Date.now();
  for (;;) {
    const { status } = await service.call('HEAD', service.object(LARGE));
    const passed = Date.now() - started;
    if (status === 200) return (passed / 1000).toFixed(1);
    demand(status === 404, `status ${status} while the upload becomes an object`);
    demand(passed < PATIENCE_MS, `no object ${PATIENCE_MS / 1000} s after the upload`);
    await pause(200);
  }
}

function serverTime({ headers }: { readonly headers: { readonly date?: string } }): number {
  return headers.date === undefined ? Date.now() : Date.parse(headers.date);
}
