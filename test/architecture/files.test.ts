import path from 'node:path';
import { filesBelow } from './sources';

const sources = filesBelow('', ['.ts', '.tsx', '.mjs', '.js']);

test('the project has more than 50 sources', () => {
  expect(sources.length).toBeGreaterThan(50);
});

test('file names are in kebab case and say what the file holds', () => {
  const vague = /^(utils?|helpers?|common|types|misc|manager|shared)$/;
  const misnamed = sources
    .map(({ path: file }) => file)
    .filter((file) => {
      const [stem = '', ...suffixes] = path.basename(file).split('.');
      const parts = [stem, ...suffixes.slice(0, -1)];
      return vague.test(stem) || parts.some((part) => !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(part));
    });
  expect(misnamed).toEqual([]);
});

test('no file has a default export', () => {
  const defaults = sources.filter(({ text }) => /^export default /m.test(text));
  expect(defaults.map(({ path: file }) => file)).toEqual([]);
});

test('no comment silences the compiler or postpones work', () => {
  // Written apart, so that this file does not find itself.
  const silenced = new RegExp(
    ['@ts-' + 'ignore', '@ts-' + 'nocheck', '\\bTO' + 'DO\\b', '\\bFIX' + 'ME\\b'].join('|'),
  );
  const found = sources.filter(({ text }) => silenced.test(text)).map(({ path: file }) => file);
  expect(found).toEqual([]);
});

test('no file names a folder of the machine on which it was written', () => {
  const texts = filesBelow('', [
    '.ts',
    '.tsx',
    '.css',
    '.html',
    '.mjs',
    '.js',
    '.json',
    '.md',
    '.yml',
    '.yaml',
    '.sh',
    '.txt',
  ]);
  const machine = /(^|[\s'"`(=:])\/(work|home\/[a-z]+|root|Users)\//m;
  const found = texts.filter(({ text }) => machine.test(text)).map(({ path: file }) => file);
  expect(found).toEqual([]);
});
