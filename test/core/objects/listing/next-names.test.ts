/** Guesses of the names that follow others. */
import { guessNext } from '../../../../core/objects/next-names';

const NEXT = ['folder-010', 'folder-011', 'folder-012'];

test.each([
  ['numbers', ['1', '2', '3'], ['4', '5', '6']],
  ['numbers with leading zeros', ['008', '009'], ['010', '011', '012']],
  ['steps', ['10', '15', '20'], ['25', '30', '35']],
  ['what begins alike', ['day-1', 'day-2'], ['day-3', 'day-4', 'day-5']],
  ['digits into which they overflow', ['2026-08', '2026-09'], ['2026-10', '2026-11', '2026-12']],
  ['lower hexadecimals', ['0e', '0f'], ['10', '11', '12']],
  ['upper hexadecimals', ['0E', '0F'], ['10', '11', '12']],
  ['letters and digits', ['ay', 'az'], ['b0', 'b1', 'b2']],
  ['other characters', ['A!', 'A"'], ['A#', 'A$', 'A%']],
  ['capital letters', ['xG', 'xH'], ['xI', 'xJ', 'xK']],
  ['digits behind a long name', ['folder-008', 'folder-009'], NEXT],
  ['the last ones of a width', ['97', '98'], ['99']],
  ['none behind the last one', ['98', '99'], []],
  ['none of one name', ['5'], []],
  ['none of no name', [], []],
  ['none of the same name', ['5', '5'], []],
  ['names with a space in what is alike', ['a b', 'a c'], ['a d', 'a e', 'a f']],
  ['none of names that differ in a space', ['a ', 'ab'], []],
  ['none of names beyond ASCII', ['a', '\u00e4'], []],
])('guessNext reads %s', (_, names, next) => {
  expect(guessNext(names, 3, 3)).toEqual(next);
});

test('guessNext takes steps of several names where they are not equally spaced', () => {
  // The average step is 4, of which three are taken at once.
  expect(guessNext(['10', '11', '18'], 3, 3)).toEqual(['30', '42', '54']);
  expect(guessNext(['10', '11', '18'], 3, 1)).toEqual(['22', '26', '30']);
  expect(guessNext(['10', '11', '13'], 2, 1)).toEqual(['14', '16']);
  // 1189, 1190 and 1225 in the digits to z.
  expect(guessNext(['x1', 'x2', 'y1'], 1, 1)).toEqual(['yj']);
});

test('guessNext reads a shorter name as one that ends with the smallest digits', () => {
  expect(guessNext(['1', '11'], 2, 1)).toEqual(['12', '13']);
  expect(guessNext(['2', '25', '3'], 2, 1)).toEqual(['35', '40']);
});

test('guessNext makes as many names as it is asked for', () => {
  expect(guessNext(['1', '2'], 0, 3)).toEqual([]);
  expect(guessNext(['1', '2'], 1, 3)).toEqual(['3']);
});

test('guessNext reads as many digits as a number holds exactly', () => {
  // 15 decimal digits: of more, the first ones are read that are not alike.
  const zeros = '0'.repeat(20);
  expect(guessNext([`${zeros}1`, `${zeros}2`], 2, 3)).toEqual([`${zeros}3`, `${zeros}4`]);
  const [a, b] = [`1${zeros}`, `2${zeros}`];
  expect(guessNext([a, b], 1, 3)).toEqual([`3${'0'.repeat(14)}`]);
  const hashes = ['00d1aefb2c0d66a1bd9a3cb8a3a4f6cb', '80d1aefb2c0d66a1bd9a3cb8a3a4f6cb'];
  expect(guessNext(hashes, 2, 1)).toEqual([]);
  expect(guessNext(['10d1aefb2c0d66a1bd', '50d1aefb2c0d66a1bd'], 2, 1)).toEqual([
    ...['90d1aefb2c0d6', 'd0d1aefb2c0d6'],
  ]);
});
