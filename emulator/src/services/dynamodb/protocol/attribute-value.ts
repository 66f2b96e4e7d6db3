/** DynamoDB's JSON values (`{"S": "x"}`), as far as streams and conditions of IAM need them. */
import { isRecord, type Json } from '../../../values/json';

export type AttributeValue = Json;
export type Item = Readonly<Record<string, AttributeValue>>;

const PLAIN_INTEGER = /^(?:0|-?[1-9]\d*)$/;
const NUMBER = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,4}))?$/;

/**
 * Returns a number in the form in which DynamoDB stores it: `01.50e1` becomes `15`. Text that is
 * not a number stays as it is.
 */
export function canonicalNumber(text: string): string {
  if (PLAIN_INTEGER.test(text)) return text;
  const match = NUMBER.exec(text);
  if (match === null) return text;
  const [, sign, whole = '', fraction = '', exponent = '0'] = match;
  const trailing = withoutLastZeros(`${whole}${fraction}`);
  const digits = trailing.replace(/^0+/, '');
  if (digits === '') return '0';
  // value = digits x 10^power
  const power = Number(exponent) + whole.length - trailing.length;
  // Outside of DynamoDB's range: the engine refuses it.
  if (Math.abs(power) > 200) return text;
  const minus = sign === '-' ? '-' : '';
  if (power >= 0) return `${minus}${digits}${'0'.repeat(power)}`;
  const padded = digits.padStart(1 - power, '0');
  return `${minus}${padded.slice(0, power)}.${padded.slice(power)}`;
}

function withoutLastZeros(digits: string): string {
  let end = digits.length;
  while (digits[end - 1] === '0') end--;
  return digits.slice(0, end);
}

/** Returns the item as a read returns it: with canonical numbers. */
export function canonicalItem(item: Item): Item {
  // fromEntries, because an attribute may have the name __proto__.
  return Object.fromEntries(
    Object.entries(item).map(([name, value]) => [name, canonicalValue(value)]),
  );
}

function canonicalValue(value: AttributeValue): AttributeValue {
  if (typeof value.N === 'string') return { N: canonicalNumber(value.N) };
  if (Array.isArray(value.NS)) return { NS: value.NS.map((n) => canonicalNumber(String(n))) };
  if (Array.isArray(value.L)) return { L: value.L.map((entry) => canonicalValue(entry)) };
  if (isRecord(value.M)) return { M: canonicalItem(value.M as Item) };
  return value;
}

/**
 * Reports whether two values are equal, regardless of the order of attributes and of members of
 * sets. Both must be canonical.
 */
export function equalValues(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a)) {
    return (
      Array.isArray(b) &&
      a.length === b.length &&
      a.every((entry, index) => equalValues(entry, b[index]))
    );
  }
  if (!isRecord(a) || !isRecord(b)) return false;
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) =>
      ['SS', 'NS', 'BS'].includes(name)
        ? equalSets(a[name], b[name])
        : equalValues(a[name], b[name]),
    )
  );
}

function equalSets(a: unknown, b: unknown): boolean {
  // An attribute of a map may have the name SS too: then it is not an array.
  if (!Array.isArray(a) || !Array.isArray(b)) return equalValues(a, b);
  return equalValues([...a].sort(), [...b].sort());
}

/**
 * The size of an item as DynamoDB counts it: the UTF-8 bytes of names and values, a byte for two
 * digits of a number, 3 bytes for each list or map.
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html
 */
export function itemBytes(item: Item): number {
  let bytes = 0;
  for (const name of Object.keys(item)) {
    bytes += Buffer.byteLength(name) + valueBytes(item[name] ?? {});
  }
  return bytes;
}

function valueBytes(value: AttributeValue): number {
  if (typeof value.S === 'string') return Buffer.byteLength(value.S);
  if (typeof value.N === 'string') return numberBytes(value.N);
  if (typeof value.B === 'string') return base64Bytes(value.B);
  if (Array.isArray(value.SS)) return sum(value.SS, (text) => Buffer.byteLength(String(text)));
  if (Array.isArray(value.NS)) return sum(value.NS, (number) => numberBytes(String(number)));
  if (Array.isArray(value.BS)) return sum(value.BS, (base64) => base64Bytes(String(base64)));
  if (Array.isArray(value.L)) return 3 + sum(value.L, (entry) => 1 + valueBytes(entry));
  if (isRecord(value.M)) return 3 + Object.keys(value.M).length + itemBytes(value.M as Item);
  return 1;
}

function numberBytes(number: string): number {
  return Math.ceil(number.replace(/\D/g, '').length / 2) + (number.startsWith('-') ? 2 : 1);
}

function base64Bytes(base64: string): number {
  return Math.floor((base64.replace(/={1,2}$/, '').length * 3) / 4);
}

function sum<T>(values: readonly T[], size: (value: T) => number): number {
  return values.reduce((total, value) => total + size(value), 0);
}
