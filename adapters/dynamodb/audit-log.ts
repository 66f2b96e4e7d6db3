import { type DynamoDBClient, QueryCommand } from '@aws-sdk/client-dynamodb';
import type { AuditLog, AuditRecord } from '../../core/access/ports';
import { auditRecord, BUCKETS_LOG, KEYS_LOG } from './items/audit-item';
import { type RangeQuery, rangeQuery } from './key-range';

/**
 * The AuditLog port on the tables Audit and Buckets. DynamoKeyStore and DynamoBuckets write its
 * records, in one transaction with the change.
 */
export class DynamoAuditLog implements AuditLog {
  constructor(
    private readonly client: DynamoDBClient,
    private readonly tables: { readonly audit: string; readonly buckets: string },
  ) {}

  /** 2 Query, consistent. */
  async list(
    limit: number,
    before?: string,
  ): Promise<{ readonly records: readonly AuditRecord[]; readonly more: boolean }> {
    const { audit, buckets } = this.tables;
    const range = { from: '', before };
    const logs = await Promise.all([
      this.newest(audit, limit, rangeQuery({ name: 'log', value: KEYS_LOG }, 'id', range)),
      this.newest(buckets, limit, rangeQuery({ name: 'name', value: BUCKETS_LOG }, 'entry', range)),
    ]);
    const all = logs.flatMap(({ records }) => records).toSorted((a, b) => (a.id < b.id ? 1 : -1));
    const more = all.length > limit || logs.some((log) => log.more);
    return { records: all.slice(0, limit), more };
  }

  private async newest(table: string, limit: number, range: RangeQuery | undefined) {
    const { Items = [], LastEvaluatedKey } = await this.client.send(
      new QueryCommand({
        TableName: table,
        ConsistentRead: true,
        ScanIndexForward: false,
        Limit: limit,
        ...range,
      }),
    );
    return { records: Items.map(auditRecord), more: LastEvaluatedKey !== undefined };
  }
}
