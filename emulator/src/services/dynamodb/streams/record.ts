import { createHash } from 'node:crypto';
import type { StreamRecord } from '../../events/stream-source';
import { equalValues, type Item, itemBytes } from '../protocol/attribute-value';
import type { StreamViewType, TableDefinition } from '../tables/table-definition';

/** A change of an item, from which a record is made. */
export interface Change {
  readonly table: TableDefinition;
  readonly keys: Item;
  readonly before?: Item;
  readonly after?: Item;
  /** The service removed the item because of its TTL. */
  readonly expired?: boolean;
}

export interface StreamIdentity {
  readonly arn: string;
  readonly shardId: string;
  readonly region: string;
  readonly view: StreamViewType;
}

/** Reports whether a write changes nothing, so that it has no record. */
export function isNoOp(change: Change): boolean {
  return equalValues(change.before, change.after);
}

/** https://docs.aws.amazon.com/lambda/latest/dg/with-ddb.html */
export function streamRecord(
  change: Change,
  stream: StreamIdentity,
  sequence: string,
): StreamRecord {
  const { keys, before, after } = change;
  const { view } = stream;
  const newImage = view === 'NEW_IMAGE' || view === 'NEW_AND_OLD_IMAGES' ? after : undefined;
  const oldImage = view === 'OLD_IMAGE' || view === 'NEW_AND_OLD_IMAGES' ? before : undefined;
  return {
    // 32 hexadecimal digits, as in AWS; the same whenever the record is read.
    eventID: createHash('md5').update(`${stream.arn}${stream.shardId}${sequence}`).digest('hex'),
    eventName: after === undefined ? 'REMOVE' : before === undefined ? 'INSERT' : 'MODIFY',
    eventVersion: '1.1',
    eventSource: 'aws:dynamodb',
    awsRegion: stream.region,
    dynamodb: {
      ApproximateCreationDateTime: Math.floor(Date.now() / 1000),
      Keys: keys,
      ...(newImage && { NewImage: newImage }),
      ...(oldImage && { OldImage: oldImage }),
      SequenceNumber: sequence,
      SizeBytes: [keys, newImage, oldImage].reduce(
        (bytes, item) => bytes + (item === undefined ? 0 : itemBytes(item)),
        0,
      ),
      StreamViewType: view,
    },
    ...(change.expired && {
      userIdentity: { type: 'Service', principalId: 'dynamodb.amazonaws.com' },
    }),
    eventSourceARN: stream.arn,
  };
}
