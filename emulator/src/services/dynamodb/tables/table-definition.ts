import type { ResolvedResource, ResolvedStack } from '../../../template/model';
import { Properties } from '../../../template/properties';

export type StreamViewType = 'KEYS_ONLY' | 'NEW_IMAGE' | 'OLD_IMAGE' | 'NEW_AND_OLD_IMAGES';

export interface KeyAttribute {
  readonly name: string;
  readonly type: 'S' | 'N' | 'B';
}

/** The properties of a table. */
export interface TableDefinition {
  readonly name: string;
  /** The partition key, then the sort key if there is one. */
  readonly keys: readonly KeyAttribute[];
  readonly stream?: StreamViewType;
  /** The attribute with the expiry in epoch seconds. */
  readonly ttlAttribute?: string;
  /** In the form of CreateTable. */
  readonly attributeDefinitions: readonly unknown[];
  readonly globalSecondaryIndexes?: readonly unknown[];
  readonly localSecondaryIndexes?: readonly unknown[];
}

/**
 * The `StreamArn` of a table. AWS labels a stream with its creation time; the emulator's label is
 * fixed, so that it stays the same across restarts. `Fn::GetAtt` in a template returns the same ARN
 * (emulator/src/template/identities.ts).
 */
export function streamArn(tableArn: string): string {
  return `${tableArn}/stream/2025-01-01T00:00:00.000`;
}

/** Properties without effect on one machine. */
const WITHOUT_EFFECT = [
  'BillingMode',
  'ContributorInsightsSpecification',
  'DeletionProtectionEnabled',
  'OnDemandThroughput',
  'PointInTimeRecoverySpecification',
  'ProvisionedThroughput',
  'ReadOnDemandThroughputSettings',
  'ReadProvisionedThroughputSettings',
  'SSESpecification',
  'TableClass',
  'Tags',
  'WarmThroughput',
  'WriteOnDemandThroughputSettings',
  'WriteProvisionedThroughputSettings',
];
const TABLE = [
  ...WITHOUT_EFFECT,
  'AttributeDefinitions',
  'GlobalSecondaryIndexes',
  'KeySchema',
  'LocalSecondaryIndexes',
  'StreamSpecification',
  'TableName',
  'TimeToLiveSpecification',
];

/**
 * The tables of a stack. Throws, naming the logical id and the property, on anything that is not
 * emulated.
 * https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-dynamodb-globaltable.html
 */
export function tableDefinitions(stack: ResolvedStack): TableDefinition[] {
  const definitions: TableDefinition[] = [];
  for (const resource of stack.resources.values()) {
    if (resource.type === 'AWS::DynamoDB::Table') {
      definitions.push(definition(resource, TABLE));
    } else if (resource.type === 'AWS::DynamoDB::GlobalTable') {
      definitions.push(definition(resource, [...TABLE, 'Replicas']));
      checkReplicas(resource, stack.region);
    }
  }
  return definitions;
}

function definition(resource: ResolvedResource, known: readonly string[]): TableDefinition {
  const read = new Properties(resource).only(...known);
  const attributeDefinitions = read.objects('AttributeDefinitions');
  const types = new Map(
    attributeDefinitions.map((attribute) => [
      attribute.string('AttributeName'),
      attribute.oneOf('AttributeType', ['S', 'N', 'B'] as const),
    ]),
  );
  const schema = read.objects('KeySchema');
  const keys = ['HASH', 'RANGE'].flatMap((keyType) =>
    schema
      .filter((key) => key.string('KeyType') === keyType)
      .map((key) => keyAttribute(key, types)),
  );
  if (keys.length === 0 || schema.length !== keys.length) {
    read.refuse('has no partition key', 'KeySchema');
  }
  const ttl = read.object('TimeToLiveSpecification')?.only('AttributeName', 'Enabled');
  if (ttl && ttl.values.Enabled === undefined) ttl.refuse('is missing', 'Enabled');
  return {
    name: resource.physicalId,
    keys,
    stream: read
      .object('StreamSpecification')
      ?.only('StreamViewType')
      .oneOf('StreamViewType', [
        'KEYS_ONLY',
        'NEW_IMAGE',
        'OLD_IMAGE',
        'NEW_AND_OLD_IMAGES',
      ] as const),
    ttlAttribute: ttl?.boolean('Enabled') === true ? ttl.string('AttributeName') : undefined,
    attributeDefinitions: attributeDefinitions.map((attribute) => attribute.values),
    globalSecondaryIndexes: indexes(read, 'GlobalSecondaryIndexes'),
    localSecondaryIndexes: indexes(read, 'LocalSecondaryIndexes'),
  };
}

function keyAttribute(key: Properties, types: ReadonlyMap<string, 'S' | 'N' | 'B'>): KeyAttribute {
  const name = key.string('AttributeName');
  const type = types.get(name);
  if (type === undefined) return key.refuse('is not in AttributeDefinitions', 'AttributeName');
  return { name, type };
}

function indexes(read: Properties, property: string): readonly unknown[] | undefined {
  if (read.values[property] === undefined) return undefined;
  return read.objects(property).map((index) => {
    index.only(...WITHOUT_EFFECT, 'IndexName', 'KeySchema', 'Projection');
    const { IndexName, KeySchema, Projection } = index.values;
    return { IndexName, KeySchema, Projection };
  });
}

function checkReplicas(resource: ResolvedResource, region: string): void {
  const read = new Properties(resource);
  if (read.values.Replicas === undefined) read.refuse('is missing', 'Replicas');
  for (const replica of read.objects('Replicas')) {
    replica.only(...WITHOUT_EFFECT, 'Region', 'GlobalSecondaryIndexes');
    for (const index of replica.objects('GlobalSecondaryIndexes')) {
      index.only(...WITHOUT_EFFECT, 'IndexName');
    }
    if (replica.string('Region') !== region) {
      replica.refuse(`is not ${region}: replicas in other regions are not emulated`, 'Region');
    }
  }
}
