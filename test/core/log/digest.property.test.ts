import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { DigestMismatch } from '../../../client';
import { LogPosition } from '../../../client/channel/log-position';
import { sha256 } from '../../../client/channel/sha256';
import { type ChangeRange, parseChangeRange } from '../../../client/resources';
import { changesPage, pageText } from '../../../core/channel/changes-page';
import { NEVER_WAITS } from '../../../core/channel/long-poll';
import { publishChanges } from '../../../core/log/publish';
import { BUCKET, openBucket, put, remove, type World } from '../../support/bucket-world';

/** A bucket with that many cursors, some of which have no change. */
async function bucketWith(kinds: readonly ('put' | 'delete' | 'noop')[]) {
  const { deps, bucket } = await openBucket();
  for (const [n, kind] of kinds.entries()) {
    const metadata = { z: `${n}`, a: 'ä"\\', 10: 'ten', 9: 'nine' };
    if (kind === 'noop') await deps.commits.allocate(bucket);
    else await put(deps, `k${n}`, `${n}`, metadata);
    if (kind === 'delete') await remove(deps, `k${n}`);
  }
  deps.clock.advance(10_000);
  return { deps, bucket };
}

const KINDS = fc.array(fc.constantFrom('put', 'delete', 'noop'), { minLength: 1, maxLength: 8 });

/** The page as the client parses it from the wire. */
async function page(deps: World, cursor: number, limit = 1000): Promise<ChangeRange> {
  const request = { bucket: BUCKET, cursor, prefix: '', limit, wait: 0 };
  const { page: found } = await changesPage(deps, request, NEVER_WAITS);
  const range = found && parseChangeRange(JSON.parse(pageText(found)));
  if (!range) throw new Error('no range');
  return range;
}

/** Publishes as far as each of these cursors in turn, as fanout does in several invocations. */
async function publishInSteps(deps: World, steps: readonly number[]): Promise<void> {
  for (const upTo of steps) await publishChanges(deps, BUCKET, { upTo, fillAllGaps: true });
  await publishChanges(deps, BUCKET, { fillAllGaps: true });
}

function follower(bucketId: string): LogPosition {
  return new LogPosition(BUCKET, { cursor: 0, bucketId });
}

const agreed = { type: 'cursor', digest: expect.anything() };

test('every follower computes the digest of the service, however the log is published and read', async () => {
  await fc.assert(
    fc.asyncProperty(
      KINDS,
      fc.array(fc.nat(9)),
      fc.integer({ min: 1, max: 5 }),
      async (...given) => {
        const [kinds, steps, limit] = given;
        const { deps, bucket } = await bucketWith(kinds);
        await publishInSteps(deps, steps);
        const [one, other] = [follower(bucket.id), follower(bucket.id)];
        const whole = one.take(await page(deps, 0)).events;
        expect(whole.at(-1)).toMatchObject(agreed);
        let last = whole;
        while (other.cursor !== one.cursor) {
          last = other.take(await page(deps, other.cursor ?? 0, limit)).events as typeof whole;
        }
        expect(last.at(-1)).toEqual(whole.at(-1));
      },
    ),
    { numRuns: 40 },
  );
});

test('a follower finds each change that was rewritten, dropped or moved to another cursor', async () => {
  await fc.assert(
    fc.asyncProperty(KINDS, fc.nat(), fc.nat(2), async (kinds, which, how) => {
      const { deps, bucket } = await bucketWith(['put', 'put', ...kinds]);
      await publishInSteps(deps, []);
      const range = await page(deps, 0);
      const at = which % range.changes.length;
      const changes = range.changes.flatMap((change, n) => {
        if (n !== at) return [change];
        if (how === 0) return [];
        if (how === 1)
          return [{ ...change, type: change.type === 'put' ? 'delete' : 'put' } as never];
        return [{ ...change, object: { ...change.object, etag: 'another' } } as never];
      });
      const { events } = follower(bucket.id).take({ ...range, changes });
      expect(events).toEqual([
        { type: 'ended', bucket: BUCKET, error: expect.any(DigestMismatch) },
      ]);
    }),
    { numRuns: 40 },
  );
});

test('a digest that begins in an old log covers what follows, and a follower takes it over', async () => {
  const { deps, bucket } = await bucketWith(['put', 'put']);
  // As a release without digests has moved the mark.
  const step = { from: 0, to: 2, objects: 2, bytes: 2 };
  await deps.buckets.movePublished(bucket, step);
  expect((await page(deps, 0)).digest).toBeUndefined();
  const followed = follower(bucket.id);
  followed.take(await page(deps, 0));
  await put(deps, 'later', 'x');
  await publishInSteps(deps, []);
  const range = await page(deps, 2);
  expect(range.digest).toMatchObject({ since: 2 });
  expect(followed.take(range).events.at(-1)).toMatchObject(agreed);
});

test('a follower that saved cursor and digest finds a history that was rewritten before them', async () => {
  const { deps, bucket } = await bucketWith(['put', 'put']);
  await publishInSteps(deps, []);
  const { digest, to } = await page(deps, 0);
  await put(deps, 'later', 'x');
  await publishInSteps(deps, []);
  const range = await page(deps, to);
  const from = { bucketId: bucket.id, cursor: to };
  const honest = new LogPosition(BUCKET, { ...from, digest });
  expect(honest.take(range).events.at(-1)).toMatchObject(agreed);
  const rewritten = { sha256: Buffer.alloc(32).toString('base64'), since: 0 };
  const other = new LogPosition(BUCKET, { ...from, digest: rewritten });
  expect(other.take(range).events).toMatchObject([{ type: 'ended' }]);
});

test('a page with a prefix, and one that ends before the published mark, has no digest', async () => {
  const { deps } = await bucketWith(['put', 'put', 'put']);
  await publishInSteps(deps, []);
  const request = { bucket: BUCKET, cursor: 0, prefix: 'k', limit: 1000, wait: 0 };
  const { page: below } = await changesPage(deps, request, NEVER_WAITS);
  expect(below).toMatchObject({ to: 3 });
  expect(below).not.toHaveProperty('digest');
  expect((await page(deps, 0, 2)).digest).toBeUndefined();
});

test('the client hashes as SHA-256 does', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      const expected = createHash('sha256').update(bytes).digest('hex');
      expect(Buffer.from(sha256(bytes)).toString('hex')).toBe(expected);
    }),
  );
});

test('the digest of a log is the one that docs/api.md describes', async () => {
  const { deps, bucket } = await bucketWith(['put', 'noop']);
  await publishInSteps(deps, []);
  const { changes, digest } = await page(deps, 0);
  const object = JSON.stringify(changes[0]?.object, [
    ...['bucket', 'checksum_sha256', 'content_type', 'created_at', 'cursor', 'etag', 'key'],
    ...['metadata', '10', '9', 'a', 'z', 'size', 'updated_at', 'version'],
  ]);
  // A list of names as the replacer writes them in its order, except names that are numbers.
  const sorted = object.replace('"9":"nine","10":"ten"', '"10":"ten","9":"nine"');
  const first = `{"cursor":1,"object":${sorted},"type":"put"}`;
  const hash = (...parts: (Buffer | string)[]) =>
    parts.reduce((sum, part) => sum.update(part), createHash('sha256')).digest();
  expect(digest).toEqual({
    sha256: hash(hash(hash(bucket.id), first), '2').toString('base64'),
    since: 0,
  });
});
