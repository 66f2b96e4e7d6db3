/** The janitor's runs over copies that requests have begun: parts, leases, and ends. */
import { copyObjects } from '../../../../core/maintenance/copy-objects';
import { NEVER_STOP, stopWhen } from '../../../../core/stop-signal';
import { ingestBlob } from '../../../../core/uploads/uploads';
import { openCopies, PARTS, watched } from './world';

const MINUTE = 60_000;
const ALL = PARTS.map(({ number }) => number);

describe('a run', () => {
  test('copies what S3 does not have, completes the upload, and leaves it to the next run', async () => {
    const { deps, begin, source, isCopied } = await openCopies();
    const upload = await begin('copy');
    const [first, , third] = PARTS;
    if (!first || !third || !upload.multipartId) throw new Error('no parts');
    const place = { blob: upload.blob, multipartId: upload.multipartId };
    for (const part of [third, first]) await deps.partCopies.copy(place, source, part);
    const calls: string[] = [];
    await copyObjects(
      watched(deps, (operation) => void calls.push(operation)),
      NEVER_STOP,
    );
    expect(isCopied(upload)).toBe(true);
    expect(calls).toEqual(['list', ...Array(ALL.length - 2).fill('copy'), 'complete']);
    expect(await deps.pendingCopies.list()).toEqual([{ id: upload.id, until: 0 }]);
  });

  test('copies eight parts at a time', async () => {
    const { deps, begin } = await openCopies();
    await begin('copy');
    let running = 0;
    const most: number[] = [];
    const { partCopies } = deps;
    const copy = async (...parameters: Parameters<typeof partCopies.copy>) => {
      most.push(++running);
      await Promise.resolve();
      const etag = await partCopies.copy(...parameters);
      running -= 1;
      return etag;
    };
    const counted = Object.assign(Object.create(partCopies) as typeof partCopies, { copy });
    await copyObjects({ ...deps, partCopies: counted }, NEVER_STOP);
    expect(most).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4]);
  });

  test('has the copy for 7 minutes from each step on, and for 16 while S3 completes it', async () => {
    const { deps, begin } = await openCopies();
    await begin('copy');
    const left = new Set<string>();
    const seeing = watched(deps, async (operation) => {
      const [copy] = await deps.pendingCopies.list();
      left.add(`${operation} ${((copy?.until ?? 0) - deps.clock.now()) / MINUTE}`);
      if (operation === 'list') deps.clock.advance(MINUTE);
    });
    await copyObjects(seeing, NEVER_STOP);
    expect([...left]).toEqual(['list 7', 'copy 7', 'complete 16']);
  });

  test('works on four copies at a time', async () => {
    const { deps, begin } = await openCopies();
    for (const key of ['a', 'b', 'c', 'd', 'e']) await begin(key);
    let listed = 0;
    const before: number[] = [];
    const counting = watched(deps, (operation) => {
      if (operation === 'list') listed += 1;
      if (operation === 'complete') before.push(listed);
    });
    await copyObjects(counting, NEVER_STOP);
    expect(before).toEqual([4, 4, 4, 4, 5]);
  });

  test('leaves a copy to the run that has it, until the end of its lease', async () => {
    const { deps, begin, isCopied } = await openCopies();
    const upload = await begin('copy');
    const until = deps.clock.now() + 1;
    deps.state.pendingCopies.set(upload.id, until);
    await copyObjects(deps, NEVER_STOP);
    expect(await deps.pendingCopies.list()).toEqual([{ id: upload.id, until }]);
    deps.clock.advance(1);
    await copyObjects(deps, NEVER_STOP);
    expect(isCopied(upload)).toBe(true);
  });

  test('leaves a copy alone that another run took after it was listed', async () => {
    const { deps, begin, partsOf } = await openCopies();
    const upload = await begin('copy');
    const { pendingCopies } = deps;
    const list = async () => {
      const copies = await pendingCopies.list();
      deps.state.pendingCopies.set(upload.id, 7);
      return copies;
    };
    const late = Object.assign(Object.create(pendingCopies) as typeof pendingCopies, { list });
    await copyObjects({ ...deps, pendingCopies: late }, NEVER_STOP);
    expect(partsOf(upload)).toEqual([]);
    expect(await pendingCopies.list()).toEqual([{ id: upload.id, until: 7 }]);
  });

  test.each([
    ['copy', [1, 2, 3, 4, 5, 6, 7, 8]],
    ['list', []],
  ])('that another run overtakes at %s does no more', async (step, parts) => {
    const { deps, begin, partsOf } = await openCopies();
    const upload = await begin('copy');
    const overtaken = watched(deps, (operation) => {
      if (operation === step) deps.state.pendingCopies.set(upload.id, 7);
    });
    await copyObjects(overtaken, NEVER_STOP);
    expect(partsOf(upload)).toEqual(parts);
    expect(await deps.pendingCopies.list()).toEqual([{ id: upload.id, until: 7 }]);
  });

  test('that another run overtakes after the last part does not complete the upload', async () => {
    const { deps, begin, partsOf } = await openCopies();
    const upload = await begin('copy');
    let copied = 0;
    const overtaken = watched(deps, (operation) => {
      if (operation === 'copy' && ++copied === ALL.length) {
        deps.state.pendingCopies.set(upload.id, 7);
      }
    });
    await copyObjects(overtaken, NEVER_STOP);
    expect(partsOf(upload)).toEqual(ALL);
    expect(await deps.pendingCopies.list()).toEqual([{ id: upload.id, until: 7 }]);
  });

  test('that is stopped frees the copy at once, and the next run continues', async () => {
    const { deps, begin, partsOf, isCopied } = await openCopies();
    const upload = await begin('copy');
    const signal = stopWhen(() => (partsOf(upload) ?? []).length > 0);
    await copyObjects(deps, signal);
    expect(partsOf(upload)).toEqual(ALL.slice(0, 8));
    expect(await deps.pendingCopies.list()).toEqual([{ id: upload.id, until: 0 }]);
    await copyObjects(deps, NEVER_STOP);
    expect(isCopied(upload)).toBe(true);
  });

  test('that is stopped before it begins takes no copy', async () => {
    const { deps, begin } = await openCopies();
    await begin('copy');
    const calls: string[] = [];
    await copyObjects(
      watched(deps, (operation) => void calls.push(operation)),
      { aborted: true },
    );
    expect(calls).toEqual([]);
  });

  test('that fails names the upload, and makes the other copies', async () => {
    const { deps, begin, isCopied } = await openCopies();
    const [bad, good] = [await begin('bad'), await begin('good')];
    const error = new Error('throttled');
    const { uploads } = deps;
    const get = async (id: string) => {
      if (id === bad.id) throw error;
      return uploads.get(id);
    };
    const failing = Object.assign(Object.create(uploads) as typeof uploads, { get });
    const run = copyObjects({ ...deps, uploads: failing }, NEVER_STOP);
    await expect(run).rejects.toThrow(`failed for ${bad.id}`);
    expect(isCopied(good)).toBe(true);
    expect(deps.log.lines).toEqual([
      { level: 'error', event: 'copy_failed', fields: { upload: bad.id, error } },
    ]);
  });
});

describe('a copy ends', () => {
  test('when its completed upload is committed', async () => {
    const { deps, begin } = await openCopies();
    const upload = await begin('copy');
    for (let run = 0; run < 2; run++) await copyObjects(deps, NEVER_STOP);
    expect((await deps.uploads.get(upload.id))?.state).toBe('committed');
    expect(await deps.pendingCopies.list()).toEqual([]);
  });

  test('not when S3 has aborted its upload: the expiry of the upload ends it', async () => {
    const { deps, begin } = await openCopies();
    const upload = await begin('copy');
    deps.state.multiparts.clear();
    await copyObjects(deps, NEVER_STOP);
    expect((await deps.uploads.get(upload.id))?.state).toBe('pending');
    expect((await deps.pendingCopies.list()).map(({ id }) => id)).toEqual([upload.id]);
    await deps.uploads.refuse(upload.id, 'expired');
    deps.clock.advance(7 * MINUTE);
    await copyObjects(deps, NEVER_STOP);
    expect(await deps.pendingCopies.list()).toEqual([]);
  });

  test('when its source is gone, with its parts', async () => {
    const { deps, begin, source, partsOf } = await openCopies();
    const upload = await begin('copy');
    deps.state.blobs.delete(source.blob);
    await copyObjects(deps, NEVER_STOP);
    expect(await deps.uploads.get(upload.id)).toMatchObject({
      ...{ state: 'refused', reason: 'source_deleted' },
    });
    expect(partsOf(upload)).toBeUndefined();
    expect(await deps.pendingCopies.list()).toEqual([]);
  });

  test.each([
    ['is refused', { state: 'refused' }, undefined],
    ['is committed', { state: 'committed' }, []],
    ['copies nothing', { copyOf: undefined }, []],
    ['has no parts', { partSize: undefined }, []],
  ] as const)('when its upload %s', async (_name, change, parts) => {
    const { deps, begin, partsOf } = await openCopies();
    const upload = await begin('copy', change);
    await copyObjects(deps, NEVER_STOP);
    expect(partsOf(upload)).toEqual(parts);
    expect(await deps.pendingCopies.list()).toEqual([]);
    expect(await ingestBlob(deps, upload.blob)).not.toBe('committed');
  });

  test('when its upload is gone', async () => {
    const { deps, begin } = await openCopies();
    const upload = await begin('copy');
    deps.state.uploads.delete(upload.id);
    await copyObjects(deps, NEVER_STOP);
    expect(await deps.pendingCopies.list()).toEqual([]);
  });
});
