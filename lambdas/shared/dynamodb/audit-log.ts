import type { AuditLog, AuditRecord } from '../../../core/access/ports';
import { names, toItem } from './items/attributes';
import { auditRecord, KEYS_LOG } from './items/audit-item';
import type { DynamoTables } from './tables/dynamo-tables';

/**
 * The AuditLog port on the Audit table. DynamoKeyStore writes its records, in one transaction with
 * the change.
 */
export class DynamoAuditLog implements AuditLog {
  constructor(
    private readonly client: DynamoTables,
    private readonly table: string,
  ) {}

  /** 1 Query, consistent. */
  async list(
    limit: number,
    before?: string,
  ): Promise<{ readonly records: readonly AuditRecord[]; readonly more: boolean }> {
    const { Items = [], LastEvaluatedKey } = await this.client.query({
      TableName: this.table,
      ConsistentRead: true,
      ScanIndexForward: false,
      Limit: limit,
      KeyConditionExpression:
        before === undefined ? '#log = :log' : '#log = :log AND #id < :before',
      ExpressionAttributeNames: before === undefined ? names('log') : names('log', 'id'),
      ExpressionAttributeValues: toItem({ ':log': KEYS_LOG, ':before': before }),
    });
    return { records: Items.map(auditRecord), more: LastEvaluatedKey !== undefined };
  }
}
