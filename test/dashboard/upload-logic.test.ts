/** What the page knows of an upload: its key, its pace, and what was sent before. */
import { contentTypeOf } from '../../dashboard/src/upload/content-type';
import { keyError } from '../../dashboard/src/upload/file-identity';
import {
  type Pace,
  rateOf,
  secondsLeft,
  standsStill,
  withProgress,
} from '../../dashboard/src/upload/pace';
import { progressText } from '../../dashboard/src/upload/progress-text';
import { storedBytes } from '../../dashboard/src/upload/saved-uploads';

const paceOf = (samples: readonly [number, number][]) =>
  samples.reduce<Pace | undefined>((pace, [at, sent]) => withProgress(pace, at, sent), undefined);

describe('the pace of an upload', () => {
  test('is what was sent within the last ten seconds', () => {
    const slow: [number, number][] = Array.from({ length: 20 }, (_, index) => [
      index * 1000,
      index,
    ]);
    const fast: [number, number][] = Array.from({ length: 11 }, (_, index) => [
      20_000 + index * 1000,
      20 + index * 100,
    ]);
    const pace = paceOf([...slow, ...fast]);
    expect(pace && rateOf(pace)).toBe(100);
    expect(pace && secondsLeft(pace, 1520)).toBe(5);
  });

  test('is unknown within the first second, and after a part has failed', () => {
    const first = paceOf([
      [0, 0],
      [900, 90],
    ]);
    expect(first && rateOf(first)).toBeUndefined();
    const failed = paceOf([
      [0, 0],
      [5000, 500],
      [5100, 100],
    ]);
    expect(failed && secondsLeft(failed, 1000)).toBeUndefined();
  });

  test('stands still three seconds after it moved last', () => {
    const pace = paceOf([
      [0, 0],
      [2000, 10],
    ]);
    expect(pace && [standsStill(pace, 4999), standsStill(pace, 5001)]).toEqual([false, true]);
  });
});

test('storedBytes counts the last part with its own size', () => {
  const saved = { uploadId: 'u', bucket: 'b', key: 'k', fields: '', partSize: 10, size: 95 };
  expect(storedBytes({ ...saved, etags: { 1: 'a', 10: 'b' } })).toBe(15);
});

test.each(['', 'a\u0000', '../x', 'a/./b', 'ü'.repeat(451), '\ud800'])(
  'keyError rejects %j',
  (key) => {
    expect(keyError(key)).toBeDefined();
  },
);

test.each(['a', 'a//b', '/a/', '<img src=x>', 'ü'.repeat(200)])('keyError accepts %j', (key) => {
  expect(keyError(key)).toBeUndefined();
});

test('the progress of an upload says when it waits, for what, and how long it will take', () => {
  const file = { name: 'film.mp4', size: 4096 };
  const pace = paceOf([
    [0, 0],
    [2000, 2048],
  ]);
  const sending = { file, sent: 2048, state: 'sending', pace } as const;
  const text = (
    now: number,
    isOnline: boolean,
    item: Parameters<typeof progressText>[0] = sending,
  ) => progressText(item, { now, isOnline });
  const done = '2.00 KiB of 4.00 KiB';
  expect(text(2000, true)).toBe(`${done}, 1.00 KiB a second, 2 seconds left`);
  expect(text(2000, false)).toBe(text(2000, true));
  expect(text(6000, true)).toBe(`${done}. Waiting for the connection …`);
  expect(text(6000, false)).toBe(`${done}. Offline: continues when the connection is back.`);
  expect(text(6000, true, { ...sending, state: 'finishing' })).toContain('All is sent');
  expect(text(6000, false, { ...sending, state: 'interrupted' })).toContain('choose “film.mp4”');
});

test.each([
  ['a text in UTF-8', 'text/plain', Buffer.from('naïve'), 'text/plain; charset=utf-8'],
  ['an empty text', 'text/csv', Buffer.alloc(0), 'text/csv; charset=utf-8'],
  ['UTF-16', 'text/plain', Buffer.from('\ufeffnaïve', 'utf16le'), 'text/plain; charset=utf-16le'],
  [
    'UTF-16, the other way',
    'text/html',
    Buffer.from([0xfe, 0xff, 0, 97]),
    'text/html; charset=utf-16be',
  ],
  ['UTF-16 without a mark', 'text/plain', Buffer.from('a', 'utf16le'), 'text/plain'],
  ['another encoding', 'text/plain', Buffer.from('naïve', 'latin1'), 'text/plain'],
  [
    'a character that the first 64 KiB cut',
    'text/plain',
    Buffer.from(`a${'ü'.repeat(40_000)}`),
    'text/plain; charset=utf-8',
  ],
  ['what is no text', 'image/png', Buffer.from('x'), 'image/png'],
  ['a file of an unknown type', '', Buffer.from('x'), undefined],
])('the content type of an upload: %s', async (_what, type, bytes, expected) => {
  expect(await contentTypeOf(new File([bytes], 'name', { type }))).toBe(expected);
});
