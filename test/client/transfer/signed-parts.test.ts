/** The signed URLs of an upload in parts, the ranges of its parts, and its progress. */
import { Http } from '../../../client/http';
import { PartProgress } from '../../../client/transfer/part-progress';
import { completionOf } from '../../../client/transfer/parts';
import type { SavedUpload } from '../../../client/transfer/saved-upload';
import { ExpiredUrl } from '../../../client/transfer/send-part';
import { SignedParts, type SignedUpload, signUpload } from '../../../client/transfer/signed-parts';

const request = { url: 'https://s3.example/', method: 'POST', headers: {} };
const SIGNED: SignedUpload = {
  ...{ upload_id: 'u', part_size: 5, complete: request, abort: request },
  parts: [{ number: 1, url: 'https://s3.example/1' }],
};
const { signal } = new AbortController();

test.each([
  ...[null, [], 'text', { ...SIGNED, upload_id: 7 }, { ...SIGNED, part_size: '5' }],
  ...[
    { ...SIGNED, complete: undefined },
    { ...SIGNED, abort: 'url' },
    { ...SIGNED, parts: {} },
  ],
  ...[[7], [{}], [{ url: '' }], [{ url: 7 }], [...SIGNED.parts, { url: '' }]].map((parts) => {
    return { ...SIGNED, parts };
  }),
])('the response %j is rejected as an upload in parts', async (response) => {
  const fetch = async () => Response.json(response);
  const http = new Http({ baseUrl: 'https://files.example', fetch });
  const signing = signUpload(http, { bucket: 'a', key: 'k' }, { multipart: { size: 7 } }, signal);
  await expect(signing).rejects.toMatchObject({ code: 'invalid_answer' });
});

test('URLs that have expired are signed again, once for all parts', async () => {
  let signatures = 0;
  const sign = async () => ({ ...SIGNED, upload_id: `u${++signatures}` });
  const urls = new SignedParts({ ...SIGNED, upload_id: 'expired' }, sign);
  const work = async ({ upload_id: id }: SignedUpload) => {
    if (id === 'expired') throw new ExpiredUrl();
    return id;
  };
  expect(await Promise.all([urls.use(work), urls.use(work)])).toEqual(['u1', 'u1']);
  expect(await urls.use(work)).toBe('u1');
});

test('the completion names the parts in their order, with ETags as XML', () => {
  expect(completionOf(['"a"', '<&>'])).toBe(
    '<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">' +
      '<Part><PartNumber>1</PartNumber><ETag>"a"</ETag></Part>' +
      '<Part><PartNumber>2</PartNumber><ETag>&#60;&#38;&#62;</ETag></Part>' +
      '</CompleteMultipartUpload>',
  );
});

const UPLOAD: SavedUpload = {
  ...{ uploadId: 'u', bucket: 'a', key: 'k', fields: '[]', size: 12, partSize: 5 },
  etags: { 3: '"c"' },
};

test('sent() resolves when the part is saved, after the parts before it', async () => {
  const ends: (() => void)[] = [];
  const resume = {
    load: async () => undefined,
    save: () => new Promise<void>((end) => void ends.push(end)),
    clear: async () => undefined,
  };
  const progress = new PartProgress(UPLOAD, resume, () => undefined);
  const done: number[] = [];
  const both = [1, 2].map((number) =>
    progress.sent(number, 'e').then(() => void done.push(number)),
  );
  await new Promise(setImmediate);
  expect([ends.length, done]).toEqual([1, []]);
  ends[0]?.();
  await both[0];
  await new Promise(setImmediate);
  expect([ends.length, done]).toEqual([2, [1]]);
  ends[1]?.();
  await both[1];
});
