/**
 * Converts fields to DynamoDB's AttributeValue and back. Items hold only strings, numbers, lists
 * and maps. @aws-sdk/util-dynamodb took 4 times as long for a record of 17 attributes, and a page
 * has up to 1000 records.
 */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';

export type Item = Record<string, AttributeValue>;

/** `undefined` in a map is an absent attribute. */
export type Field = string | number | readonly Field[] | Fields;

export interface Fields {
  readonly [name: string]: Field | undefined;
}

export function toItem(fields: Fields): Item {
  const item: Item = {};
  for (const name of Object.keys(fields)) {
    const field = fields[name];
    if (field !== undefined) define(item, name, toAttribute(field));
  }
  return item;
}

/** Sets a property. Metadata may be named __proto__, which assignment would not store. */
function define<T>(target: Record<string, T>, name: string, value: T): void {
  if (name !== '__proto__') target[name] = value;
  else Object.defineProperty(target, name, { value, enumerable: true });
}

function toAttribute(field: Field): AttributeValue {
  if (typeof field === 'string') return { S: field };
  if (typeof field === 'number') return { N: String(field) };
  return isList(field) ? { L: field.map(toAttribute) } : { M: toItem(field) };
}

/** Array.isArray does not narrow a readonly array out of a union. */
function isList(field: readonly Field[] | Fields): field is readonly Field[] {
  return Array.isArray(field);
}

/** The fields of an item that `toItem` made of a `T`. Throws for a type that is never written. */
export function fromItem<T>(item: Item): T;
export function fromItem(item: Item): Fields {
  const fields: Record<string, Field> = {};
  for (const name of Object.keys(item)) {
    const value = item[name];
    if (value !== undefined) define(fields, name, fromAttribute(value));
  }
  return fields;
}

function fromAttribute(value: AttributeValue): Field {
  if (value.S !== undefined) return value.S;
  if (value.N !== undefined) return Number(value.N);
  if (value.M !== undefined) return fromItem<Fields>(value.M);
  if (value.L !== undefined) return value.L.map(fromAttribute);
  throw new Error(`an item holds a ${Object.keys(value).join()} value, which is never written`);
}

/**
 * Attribute names for an expression: `cursor` as `#cursor`. Always used, because `cursor`, `key`,
 * `state`, `name` … are reserved words.
 */
export function names(...attributes: readonly string[]): Record<string, string> {
  return Object.fromEntries(attributes.map((attribute) => [`#${attribute}`, attribute]));
}
