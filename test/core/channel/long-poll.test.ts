/** Slots of the waits of temporary keys, on the fakes. */
import type { Restriction } from '../../../core/access/ports';
import { LongPoll } from '../../../core/channel/long-poll';
import { BUCKET, openBucket } from '../../support/bucket-world';

async function open() {
  const { deps } = await openBucket();
  const of = (prefix: string, expires: number): Restriction => ({
    permissions: [{ buckets: [BUCKET], prefix, actions: ['sync'] }],
    expiresAt: new Date(expires).toISOString(),
  });
  const until = deps.clock.now() + 20_000;
  const wait = (restriction?: Restriction, service = 100) =>
    new LongPoll(deps, {
      ...{ keyId: 'maker', restriction, bucket: BUCKET, prefix: '' },
      limits: { key: 4, service },
    });
  return { of, until, wait };
}

test('temporary keys with the same permissions have half of the waits of their maker', async () => {
  const { of, until, wait } = await open();
  const [one, two] = [wait(of('a/', until)), wait(of('a/', until + 1000))];
  expect([await one.begin(until), await two.begin(until)]).toEqual([true, true]);
  expect(await wait(of('a/', until)).begin(until)).toBe(false);
  const [other, maker] = [wait(of('b/', until)), wait()];
  expect([await other.begin(until), await maker.begin(until)]).toEqual([true, true]);

  await one.end();
  const second = wait();
  expect(await second.begin(until)).toBe(true);
  // Every wait of the maker is taken: the refusal leaves the share as it was.
  expect(await wait(of('a/', until)).begin(until)).toBe(false);
  await second.end();
  expect(await wait(of('a/', until)).begin(until)).toBe(true);
});

test('a wait that the service has no slot for takes nothing of the share', async () => {
  const { of, until, wait } = await open();
  for (let n = 0; n < 5; n++) expect(await wait(of('a/', until), 0).begin(until)).toBe(false);
  expect(await wait(of('a/', until)).begin(until)).toBe(true);
});
