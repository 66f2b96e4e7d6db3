import * as dynamodb from 'aws-cdk-lib/aws-dynamodb';
import * as iam from 'aws-cdk-lib/aws-iam';
import { DUE_INDEX, OPEN_INDEX } from '../../core/limits';
import { grantKey } from './encryption';
import { KEY_READ, type ServiceTable } from './service-table';

/** The index of Objects that finds what has expired. It is empty until an object expires. */
export const INDEX_OF_DUE_OBJECTS: dynamodb.GlobalSecondaryIndexPropsV2 = {
  indexName: DUE_INDEX,
  partitionKey: { name: 'due', type: dynamodb.AttributeType.STRING },
  sortKey: { name: 'expires_at', type: dynamodb.AttributeType.STRING },
  projectionType: dynamodb.ProjectionType.KEYS_ONLY,
};

/** The index of Uploads that finds those which are pending or staged. */
export const INDEX_OF_OPEN_UPLOADS: dynamodb.GlobalSecondaryIndexPropsV2 = {
  indexName: OPEN_INDEX,
  partitionKey: { name: 'open', type: dynamodb.AttributeType.STRING },
  sortKey: { name: 'expires_at', type: dynamodb.AttributeType.STRING },
  projectionType: dynamodb.ProjectionType.KEYS_ONLY,
};

/** Allows queries of one index of the table. */
export function grantIndex(
  grantee: iam.IGrantable,
  table: ServiceTable,
  { indexName }: dynamodb.GlobalSecondaryIndexPropsV2,
): iam.Grant {
  grantKey(grantee, table.key, 'dynamodb', ...KEY_READ);
  return iam.Grant.addToPrincipal({
    grantee,
    actions: ['dynamodb:Query'],
    resourceArns: [`${table.tableArn}/index/${indexName}`],
  });
}
