/** The memory that an object takes. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { BucketStore } from '../../../src/services/s3/storage/store';
import { afterTest, useFolder } from '../../support/clean-up';

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

function openStore(folder = useFolder()) {
  const acknowledge = (store: BucketStore, number: number) => store.acknowledge([number]);
  const store = new BucketStore('photos', folder, acknowledge);
  afterTest(() => store.close());
  return { store, folder };
}

const nameOf = (n: number): string => `blobs/${n}-`.padEnd(60, '0');

/** As the service writes them: names that are cut out of a URL, and a few headers. */
function fill(store: BucketStore, count: number, bytes: Buffer): void {
  for (let n = 0; n < count; n += 1) {
    const url = `/${nameOf(n)}?`.padEnd(1000, 'X-Amz-Signature');
    const key = url.slice(1, url.indexOf('?'));
    const metadata = { bucket: `b-${n}`, note: `${n}`.padEnd(300, 'm') };
    const headers = { 'content-type': 'text/plain' };
    const properties = { headers, metadata, etag: `${n}`.padEnd(32, '0'), modified: 1 };
    const object = { key, size: bytes.length, ...properties, segments: [] };
    store.put(object, 'ObjectCreated:Put', { bytes });
  }
}

it('keeps at most 200 bytes of memory for an object, also after a restart', () => {
  const { store, folder } = openStore();
  fill(store, 100, Buffer.from('x'));
  collect();
  const empty = process.memoryUsage().heapUsed;
  const perObject = () => {
    collect();
    return (process.memoryUsage().heapUsed - empty) / 20_000;
  };
  fill(store, 20_000, Buffer.from('x'));
  expect(perObject()).toBeLessThan(200);
  const again = openStore(folder);
  expect(perObject()).toBeLessThan(400);
  expect(again.store.get(nameOf(1))?.metadata.bucket).toBe('b-1');
  expect(store.keys.size).toBe(20_000);
});
