/** Objects: bodies, headers and keys on the way through edge, gateway and function. */
import { isRecord } from '../../../../client/resources';
import { type Check, reported, saw } from '../check';
import { demand, json, requireError, requireStatus } from '../demand';
import type { Service } from '../service';

const TEXT = 'stowage smoke test';

/** Keys as they are and as they are sent. */
const KEYS: readonly (readonly [what: string, key: string, sent: string])[] = [
  ['an empty segment', 'keys/a//b', 'keys/a//b'],
  ['a slash at the beginning', '/keys/c', '/keys/c'],
  ['a slash at the end', 'keys/d/', 'keys/d/'],
  ['an escaped slash', 'keys/e/f', 'keys%2Fe%2Ff'],
  ['a literal %2F', 'keys/g%2Fh', 'keys/g%252Fh'],
  ['a space', 'keys/i j', 'keys/i%20j'],
  ['a plus sign', 'keys/k+l', 'keys/k+l'],
  ['other letters', 'keys/ü日本😀', 'keys/%C3%BC%E6%97%A5%E6%9C%AC%F0%9F%98%80'],
];

export const OBJECT_CHECKS: readonly Check[] = [
  {
    assumption: 'GET of an object sends its bytes',
    run: async (service) => {
      await service.put('get', TEXT);
      const reply = await service.call('GET', service.object('get'));
      requireStatus(reply, 200);
      const body = reply.body.toString();
      demand(body === TEXT, `status 200 with ${JSON.stringify(body)}`);
      return saw(`status 200, ${reply.body.length} bytes`);
    },
  },
  {
    assumption: 'HEAD of an object ends without a body',
    run: async (service) => {
      await service.put('head', TEXT);
      const reply = await service.call('HEAD', service.object('head'));
      requireStatus(reply, 200);
      return saw('status 200');
    },
  },
  {
    assumption: 'responses state their length',
    run: async (service) => {
      await service.put('length', TEXT);
      const head = await service.call('HEAD', service.object('length'));
      const get = await service.call('GET', service.object('length'));
      const lengths = [head, get].map(({ headers }) => headers['content-length']);
      const wrong = lengths.find((length) => length !== undefined && length !== `${TEXT.length}`);
      demand(wrong === undefined, `the Content-Length ${wrong} of ${TEXT.length} bytes`);
      const [ofHead, ofGet] = lengths.map((length) => (length === undefined ? 'without' : 'with'));
      const size = head.headers['x-object-size'];
      demand(size === undefined || size === `${TEXT.length}`, `the x-object-size ${size}`);
      const instead = size === undefined ? 'no x-object-size' : `x-object-size: ${size}`;
      return reported(`HEAD ${ofHead} Content-Length, GET ${ofGet} Content-Length; ${instead}`);
    },
  },
  {
    assumption: 'a conditional GET ends with 304 and no body',
    run: async (service) => {
      await service.put('not-modified', TEXT);
      const path = service.object('not-modified');
      const { headers } = await service.call('HEAD', path);
      demand(headers.etag !== undefined, 'a HEAD without ETag');
      const reply = await service.call('GET', path, { headers: { 'if-none-match': headers.etag } });
      requireStatus(reply, 304);
      return saw('status 304');
    },
  },
  {
    assumption: 'a false condition is refused with 412',
    run: async (service) => {
      await service.put('condition', TEXT);
      const path = service.object('condition');
      const call = { headers: { 'if-none-match': '*' }, body: 'another text' };
      requireError(await service.call('PUT', path, call), 412, 'precondition_failed');
      const stale = { headers: { 'if-match': '"0"' } };
      requireError(await service.call('GET', path, stale), 412, 'precondition_failed');
      return saw('PUT with If-None-Match and GET with If-Match: status 412');
    },
  },
  {
    assumption: 'a range is sent with 206',
    run: async (service) => {
      await service.put('range', TEXT);
      const headers = { range: 'bytes=8-12' };
      const reply = await service.call('GET', service.object('range'), { headers });
      requireStatus(reply, 206);
      const range = reply.headers['content-range'];
      demand(reply.body.toString() === 'smoke', `other bytes: ${reply.body.toString()}`);
      demand(range === `bytes 8-12/${TEXT.length}`, `the Content-Range ${range}`);
      return saw(`status 206, ${range}`);
    },
  },
  {
    assumption: 'DELETE of an object ends with its JSON',
    run: async (service) => {
      await service.put('delete', TEXT);
      const reply = await service.call('DELETE', service.object('delete'));
      requireStatus(reply, 200);
      demand(json(reply).key === 'delete', 'another key in the response');
      return saw('status 200');
    },
  },
  ...keyChecks(),
  {
    assumption: 'a raw semicolon in a query is part of the value',
    run: async (service) => {
      await service.put('semi%3Bcolon', TEXT);
      await service.put('semi', TEXT);
      const encoded = await keysBelow(service, 'semi%3B');
      demand(encoded.join() === 'semi;colon', `prefix=semi%3B lists ${encoded.join(', ')}`);
      const raw = await keysBelow(service, 'semi;');
      const isValue = raw.join() === 'semi;colon';
      return reported(
        isValue ? 'it is' : `it ends the value, so clients must send %3B: ${raw.join(', ')} listed`,
      );
    },
  },
];

function keyChecks(): readonly Check[] {
  return KEYS.map(([what, key, sent]) => ({
    assumption: `a key with ${what} arrives as it was sent`,
    run: async (service) => {
      const body = `the object ${key}`;
      const descriptor = await service.put(sent, body);
      demand(descriptor.key === key, `stored as ${JSON.stringify(descriptor.key)}`);
      const reply = await service.call('GET', service.object(sent));
      requireStatus(reply, 200);
      demand(reply.body.toString() === body, 'the bytes of another object');
      const listed = await keysBelow(service, encodeURIComponent(key));
      demand(listed.includes(key), `listed as ${JSON.stringify(listed)}`);
      return saw(JSON.stringify(key));
    },
  }));
}

async function keysBelow(service: Service, prefix: string): Promise<readonly string[]> {
  const reply = await service.call('GET', `/objects/${service.bucket}?prefix=${prefix}`);
  requireStatus(reply, 200);
  const { objects } = json(reply);
  return Array.isArray(objects) ? objects.filter(isRecord).map(({ key }) => String(key)) : [];
}
