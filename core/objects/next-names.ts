/** Guesses the names that follow others in order, such as `2026-03` after `2026-01, 2026-02`. */

/** Alphabets in code point order, the smallest one first. */
const ALPHABETS = [
  '0123456789',
  '0123456789abcdef',
  '0123456789ABCDEF',
  '0123456789abcdefghijklmnopqrstuvwxyz',
  String.fromCharCode(...Array.from({ length: 94 }, (_, n) => n + 33)),
].map((digits) => ({
  digits,
  /** Digits of a number that is exact in a double. */
  most: Math.floor(52 / Math.log2(digits.length)),
}));

type Alphabet = (typeof ALPHABETS)[number];

/**
 * Up to `count` ends of stretches after the last name, ascending, each of which should hold one
 * name, or `irregular` names where these are not equally spaced. The names are read as numbers
 * after what they begin with alike. Empty: they do not look like numbers, or there is only one.
 */
export function guessNext(
  names: readonly string[],
  count: number,
  irregular: number,
): readonly string[] {
  const [first, last] = [names[0], names.at(-1)];
  if (first === undefined || last === undefined || first === last) return [];
  let common = commonLength(first, last);
  const alphabet = ALPHABETS.find(({ digits }) =>
    names.every((name) => Array.from(name.slice(common)).every((digit) => digits.includes(digit))),
  );
  if (alphabet === undefined) return [];
  const longest = Math.max(...names.map(({ length }) => length));
  // Leading digits, into which the last ones overflow: `10` follows `09`.
  while (
    longest - common < alphabet.most &&
    alphabet.digits.includes(last.charAt(common - 1) || ' ')
  ) {
    common -= 1;
  }
  const width = Math.min(alphabet.most, longest - common);
  const numbers = names.map((name) => toNumber(name.slice(common), alphabet, width));
  const gaps = numbers.slice(1).map((number, n) => number - (numbers[n] ?? 0));
  const isRegular = gaps.every((gap) => gap === gaps[0]);
  const span = (numbers.at(-1) ?? 0) - (numbers[0] ?? 0);
  const step = (span / gaps.length) * (isRegular ? 1 : irregular);
  const ends: string[] = [];
  for (let n = 1; n <= count; n++) {
    const number = Math.floor((numbers.at(-1) ?? 0) + n * step);
    if (number >= alphabet.digits.length ** width) break;
    ends.push(last.slice(0, common) + toText(number, alphabet, width));
  }
  return ends;
}

function commonLength(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length += 1;
  return length;
}

function toNumber(text: string, { digits }: Alphabet, width: number): number {
  let number = 0;
  for (let n = 0; n < width; n++) {
    number = number * digits.length + Math.max(0, digits.indexOf(text.charAt(n) || '\u0000'));
  }
  return number;
}

function toText(number: number, { digits }: Alphabet, width: number): string {
  let text = '';
  for (let rest = number; text.length < width; rest = Math.floor(rest / digits.length)) {
    text = digits.charAt(rest % digits.length) + text;
  }
  return text;
}
