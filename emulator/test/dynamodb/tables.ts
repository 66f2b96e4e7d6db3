import {
  streamArn,
  type TableDefinition,
} from '../../src/services/dynamodb/tables/table-definition';

export const REGION = 'us-east-1';
export const ACCOUNT = '000000000000';

/** Partition key `id`, sort key `n`, expiry `ttl`. */
export const NOTES: TableDefinition = {
  name: 'Notes',
  keys: [
    { name: 'id', type: 'S' },
    { name: 'n', type: 'N' },
  ],
  ttlAttribute: 'ttl',
  attributeDefinitions: [
    { AttributeName: 'id', AttributeType: 'S' },
    { AttributeName: 'n', AttributeType: 'N' },
  ],
};

/** A table like NOTES, with a stream. */
export const LOG: TableDefinition = { ...NOTES, name: 'Log', stream: 'NEW_IMAGE' };
export const LOG_STREAM = streamArn(tableArn('Log'));

export function tableArn(name: string): string {
  return `arn:aws:dynamodb:${REGION}:${ACCOUNT}:table/${name}`;
}
