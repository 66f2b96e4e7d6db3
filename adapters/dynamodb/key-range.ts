import type { NameRange } from '../../core/pages';
import { type Item, toItem } from './items/attributes';

/** The fields of a Query that select a range of a string sort key within one partition. */
export interface RangeQuery {
  readonly KeyConditionExpression: string;
  readonly ExpressionAttributeNames: Record<string, string>;
  readonly ExpressionAttributeValues: Item;
}

/**
 * The query for `from <= sort key < before` in UTF-8 byte order, which is DynamoDB's, or undefined
 * for an empty range. A query allows one condition on the sort key, so a range with two bounds is a
 * BETWEEN, which includes `before`: the caller drops the item with that key. An empty string is no
 * key value, so an empty `from` adds no condition.
 */
export function rangeQuery(
  partition: { readonly name: string; readonly value: string },
  sortKey: string,
  { from, before }: NameRange,
): RangeQuery | undefined {
  // BETWEEN rejects bounds in the wrong order.
  if (before !== undefined && Buffer.compare(Buffer.from(from), Buffer.from(before)) >= 0) {
    return undefined;
  }
  const conditions = ['#partition = :partition'];
  if (from !== '' && before !== undefined) conditions.push('#sort BETWEEN :from AND :before');
  else if (from !== '') conditions.push('#sort >= :from');
  else if (before !== undefined) conditions.push('#sort < :before');
  return {
    KeyConditionExpression: conditions.join(' AND '),
    ExpressionAttributeNames: {
      '#partition': partition.name,
      ...(conditions.length > 1 && { '#sort': sortKey }),
    },
    ExpressionAttributeValues: toItem({
      ':partition': partition.value,
      ':from': from === '' ? undefined : from,
      ':before': before,
    }),
  };
}
