/** Parts that commands share: addresses, services, progress, file names. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathBelow } from '../../cli/objects/copy/local-tree';
import { parseAddress, parseRemote } from '../../cli/shared/address';
import { moment } from '../../cli/shared/durations';
import { progressLine, Rate } from '../../cli/shared/progress';
import { findService } from '../../cli/shared/service';
import { eachConcurrently } from '../../cli/shared/several';
import { durationText, shown, sizeText } from '../../cli/shared/text';
import { type TemporaryFolder, temporaryFolder } from '../support/temporary-folder';

test.each([
  ['photos:', { kind: 'remote', bucket: 'photos', key: '' }],
  ['photos:2026/a:b.jpg', { kind: 'remote', bucket: 'photos', key: '2026/a:b.jpg' }],
  ['photos:line\nbreak', { kind: 'remote', bucket: 'photos', key: 'line\nbreak' }],
  ['C:\\photos\\a.jpg', { kind: 'local', path: 'C:\\photos\\a.jpg' }],
  ['./photos:a.jpg', { kind: 'local', path: './photos:a.jpg' }],
  ['photos/a.jpg', { kind: 'local', path: 'photos/a.jpg' }],
  ['-', { kind: 'standard' }],
])('parseAddress parses %j', (text, address) => {
  expect(parseAddress(text)).toEqual(address);
});

test.each([
  ['photos', { bucket: 'photos', key: '' }],
  ['photos:a', { bucket: 'photos', key: 'a' }],
])('parseRemote accepts %j, with or without the colon', (text, address) => {
  expect(parseRemote(text)).toMatchObject(address);
});

test.each([
  ['photos/a.jpg', /write photos:a\.jpg$/],
  ['/photos', /is no address/],
  ['https://example.com/a', /is a URL/],
  ['', /is no address: write BUCKET/],
])('parseRemote refuses %j with a message that explains the form', (text, message) => {
  expect(() => parseRemote(text)).toThrow(message);
});

describe('findService', () => {
  let folder: TemporaryFolder;
  const xdg = process.env.XDG_CONFIG_HOME;

  beforeEach(() => {
    folder = temporaryFolder('service');
    process.env.XDG_CONFIG_HOME = folder.folder;
    mkdirSync(path.join(folder.folder, 'stowage'));
    const profiles = {
      work: { url: 'https://work', key: 'kw' },
      home: { url: 'https://home', key: 'kh' },
    };
    const config = JSON.stringify({ default: 'home', profiles });
    writeFileSync(path.join(folder.folder, 'stowage/config.json'), config);
    writeFileSync(path.join(folder.folder, 'endpoints.json'), '{"baseUrl":"http://127.0.0.1:7"}');
    writeFileSync(path.join(folder.folder, 'first-api-key'), 'kl\n');
  });

  afterEach(() => {
    if (xdg === undefined) delete process.env.XDG_CONFIG_HOME;
    else process.env.XDG_CONFIG_HOME = xdg;
    folder.remove();
  });

  test('prefers options, then the named profile, the environment, the default profile', () => {
    const env = { STOWAGE_URL: 'https://env/', STOWAGE_KEY: 'ke' };
    expect(findService({ url: 'https://a', key: 'k', profile: 'work' }, env)).toEqual({
      ...{ url: 'https://a', key: 'k' },
    });
    expect(findService({ profile: 'work' }, env)).toEqual({ url: 'https://work', key: 'kw' });
    expect(findService({}, env)).toEqual({ url: 'https://env', key: 'ke' });
    expect(findService({}, { STOWAGE_PROFILE: 'work' }).url).toBe('https://work');
    expect(findService({}, {})).toEqual({ url: 'https://home', key: 'kh' });
    const local = findService({ data: folder.folder }, {});
    expect(local).toEqual({ url: 'http://127.0.0.1:7', key: 'kl' });
  });

  test('sends the key of a profile to no other service', () => {
    expect(() => findService({ url: 'https://other' }, {})).toThrow('no API key for https://other');
    expect(() => findService({}, { STOWAGE_URL: 'https://other' })).toThrow('no API key');
  });
});

test.each([
  ['a/b', 'out/a/b'],
  ['../a', undefined],
  ['a/../../b', undefined],
  ['a//b', undefined],
  ['/a', undefined],
  ['a/', undefined],
  ['a\0b', undefined],
  ['.', undefined],
])('pathBelow maps the key %j to the file %j', (relative, file) => {
  expect(pathBelow('out', relative)).toBe(file);
});

test('the progress line shows the share, the rate and the time left', () => {
  const state = { done: 5 * 1024 ** 2, total: 20 * 1024 ** 2, rate: 1024 ** 2, name: 'a\n.bin' };
  expect(progressLine(state, 100)).toBe(
    ' 25 %  5.0 MiB of 20.0 MiB  1.0 MiB/s  15 s left  a\\u{a}.bin',
  );
  expect(progressLine(state, 30)).toHaveLength(29);
});

test('Rate forgets samples that are older than its window', () => {
  const rate = new Rate();
  for (let second = 0; second <= 20; second++) {
    rate.add({ at: second * 1000, bytes: second <= 10 ? second * 1000 : 10_000 });
  }
  expect(rate.value).toBe(0);
});

test('sizes and durations are rounded, and control characters escaped', () => {
  expect([0, 999, 1000, 1_100_000, 5e9].map(sizeText)).toEqual([
    '0 B',
    '999 B',
    '1.0 KiB',
    '1.0 MiB',
    '4.7 GiB',
  ]);
  expect([4, 125, 12_000].map(durationText)).toEqual(['4 s', '2 min 5 s', '3 h 20 min']);
  expect(shown('\u001b[2J\u202e')).toBe('\\u{1b}[2J\\u{202e}');
});

test('moment accepts a cursor, a time with its zone, and a duration before now', () => {
  const parse = moment('--to');
  expect(parse('12')).toEqual({ cursor: 12 });
  expect(parse('2026-11-22T03:00:00Z')).toEqual({ time: Date.UTC(2026, 10, 22, 3) });
  const { time } = parse('2h') as { time: number };
  expect(Math.abs(Date.now() - 7_200_000 - time)).toBeLessThan(60_000);
  expect(() => parse('2026-11-22T03:00:00')).toThrow('--to must be a cursor');
});

test('eachConcurrently respects its limit and starts nothing after a failure', async () => {
  let running = 0;
  let most = 0;
  const done: number[] = [];
  const work = async (item: number) => {
    running += 1;
    most = Math.max(most, running);
    await new Promise(setImmediate);
    running -= 1;
    if (item === 5) throw new Error('five');
    done.push(item);
  };
  await expect(eachConcurrently([1, 2, 3, 4, 5, 6, 7, 8, 9], 2, work)).rejects.toThrow('five');
  expect(most).toBe(2);
  expect(done.length).toBeLessThan(8);
});
