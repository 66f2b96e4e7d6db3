import { RemovalPolicy } from 'aws-cdk-lib';
import { Match } from 'aws-cdk-lib/assertions';
import { logicalId, useStorage } from '../synthesize';

interface GlobalTable {
  readonly DeletionPolicy: string;
  readonly UpdateReplacePolicy: string;
  readonly Properties: Readonly<Record<string, unknown>> & {
    readonly Replicas: readonly Readonly<Record<string, unknown>>[];
  };
}

// test/lib/logical-ids.test.ts has the keys of each.
const TABLES = [
  'buckets',
  'objects',
  'changes',
  'uploads',
  'apiKeys',
  'audit',
  'rates',
  'subscriptions',
  'links',
] as const;
type Name = (typeof TABLES)[number];

describe('the tables of a service with default settings', () => {
  const { stack, storage, template } = useStorage();
  const find = (name: Name): GlobalTable =>
    template.toJSON().Resources[logicalId(stack, storage.tables[name])];

  test('are these nine, and only Objects and Uploads have an index, of keys', () => {
    template.resourceCountIs('AWS::DynamoDB::GlobalTable', TABLES.length);
    const index = (IndexName: string) => [
      {
        IndexName,
        KeySchema: [
          { AttributeName: IndexName, KeyType: 'HASH' },
          { AttributeName: 'expires_at', KeyType: 'RANGE' },
        ],
        Projection: { ProjectionType: 'KEYS_ONLY' },
      },
    ];
    const indexes: Partial<Record<Name, unknown>> = {
      objects: index('due'),
      uploads: index('open'),
    };
    for (const name of TABLES) {
      expect(find(name).Properties.GlobalSecondaryIndexes).toEqual(indexes[name]);
      expect(find(name).Properties).not.toHaveProperty('LocalSecondaryIndexes');
    }
  });

  test.each(TABLES)('%s is on demand, recoverable, protected and retained', (name) => {
    const table = find(name);
    expect(table.DeletionPolicy).toBe('Retain');
    expect(table.UpdateReplacePolicy).toBe('Retain');
    expect(table.Properties.BillingMode).toBe('PAY_PER_REQUEST');
    expect(table.Properties.Replicas).toEqual([
      expect.objectContaining({
        DeletionProtectionEnabled: true,
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      }),
    ]);
  });

  test('only Changes has a stream of images, and ApiKeys one of keys without hashes', () => {
    const streams = TABLES.map((name) => [name, find(name).Properties.StreamSpecification]);
    expect(Object.fromEntries(streams)).toEqual({
      changes: { StreamViewType: 'NEW_IMAGE' },
      apiKeys: { StreamViewType: 'KEYS_ONLY' },
    });
  });

  test('expire rows by `ttl` where a delay is harmless, and never in Changes', () => {
    const enabled = { AttributeName: 'ttl', Enabled: true };
    const settings = TABLES.map((name) => [name, find(name).Properties.TimeToLiveSpecification]);
    expect(Object.fromEntries(settings)).toEqual({
      uploads: enabled,
      apiKeys: enabled,
      rates: enabled,
      subscriptions: enabled,
      links: enabled,
    });
  });
});

describe('the tables of a service that may be destroyed', () => {
  const { template } = useStorage({ removalPolicy: RemovalPolicy.DESTROY });

  test('are deleted with the stack, without protection', () => {
    template.allResources('AWS::DynamoDB::GlobalTable', { DeletionPolicy: 'Delete' });
    template.allResourcesProperties('AWS::DynamoDB::GlobalTable', {
      Replicas: [{ DeletionProtectionEnabled: false }],
    });
  });
});

describe('deletionProtection', () => {
  const { template } = useStorage({
    removalPolicy: RemovalPolicy.DESTROY,
    deletionProtection: true,
  });

  test('does not depend on the removal policy when it is set', () => {
    template.allResourcesProperties('AWS::DynamoDB::GlobalTable', {
      Replicas: [{ DeletionProtectionEnabled: true }],
    });
  });
});

describe('maxReadRequestUnits and maxWriteRequestUnits', () => {
  const { template } = useStorage({ maxReadRequestUnits: 500, maxWriteRequestUnits: 200 });

  test('bound what each table takes', () => {
    template.allResourcesProperties('AWS::DynamoDB::GlobalTable', {
      WriteOnDemandThroughputSettings: { MaxWriteRequestUnits: 200 },
      Replicas: [
        Match.objectLike({ ReadOnDemandThroughputSettings: { MaxReadRequestUnits: 500 } }),
      ],
    });
  });
});
