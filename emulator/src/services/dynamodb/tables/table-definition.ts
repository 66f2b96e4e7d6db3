import { UserError } from '../../../errors/user-error';
import type { ResolvedResource, ResolvedStack } from '../../../template/model';
import { isRecord, type Json } from '../../../values/json';

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
  const read = new Properties(resource.logicalId, resource.properties, '');
  read.only(known);
  const attributeDefinitions = read.list('AttributeDefinitions');
  const types = new Map(
    attributeDefinitions.map((attribute) => [
      attribute.text('AttributeName'),
      attribute.oneOf('AttributeType', ['S', 'N', 'B'] as const),
    ]),
  );
  const schema = read.list('KeySchema');
  const keys = ['HASH', 'RANGE'].flatMap((keyType) =>
    schema.filter((key) => key.text('KeyType') === keyType).map((key) => keyAttribute(key, types)),
  );
  if (keys.length === 0 || schema.length !== keys.length)
    read.refuse('KeySchema', 'has no partition key');
  const ttl = read.optional('TimeToLiveSpecification')?.only(['AttributeName', 'Enabled']);
  return {
    name: resource.physicalId,
    keys,
    stream: read
      .optional('StreamSpecification')
      ?.only(['StreamViewType'])
      .oneOf('StreamViewType', [
        'KEYS_ONLY',
        'NEW_IMAGE',
        'OLD_IMAGE',
        'NEW_AND_OLD_IMAGES',
      ] as const),
    ttlAttribute: ttl?.flag('Enabled') === true ? ttl.text('AttributeName') : undefined,
    attributeDefinitions: attributeDefinitions.map((attribute) => attribute.values),
    globalSecondaryIndexes: indexes(read, 'GlobalSecondaryIndexes'),
    localSecondaryIndexes: indexes(read, 'LocalSecondaryIndexes'),
  };
}

function keyAttribute(key: Properties, types: ReadonlyMap<string, 'S' | 'N' | 'B'>): KeyAttribute {
  const name = key.text('AttributeName');
  const type = types.get(name);
  if (type === undefined) return key.refuse('AttributeName', 'is not in AttributeDefinitions');
  return { name, type };
}

function indexes(read: Properties, property: string): readonly unknown[] | undefined {
  if (read.values[property] === undefined) return undefined;
  return read.list(property).map((index) => {
    index.only([...WITHOUT_EFFECT, 'IndexName', 'KeySchema', 'Projection']);
    const { IndexName, KeySchema, Projection } = index.values;
    return { IndexName, KeySchema, Projection };
  });
}

function checkReplicas(resource: ResolvedResource, region: string): void {
  const read = new Properties(resource.logicalId, resource.properties, '');
  for (const replica of read.list('Replicas')) {
    replica.only([...WITHOUT_EFFECT, 'Region', 'GlobalSecondaryIndexes']);
    for (const index of replica.values.GlobalSecondaryIndexes === undefined
      ? []
      : replica.list('GlobalSecondaryIndexes')) {
      index.only([...WITHOUT_EFFECT, 'IndexName']);
    }
    if (replica.text('Region') !== region) {
      replica.refuse('Region', `is not ${region}: replicas in other regions are not emulated`);
    }
  }
}

/** Reads properties. Every error names the logical id and the path. */
class Properties {
  constructor(
    private readonly logicalId: string,
    readonly values: Json,
    private readonly path: string,
  ) {}

  refuse(property: string, reason: string): never {
    throw new UserError(`${this.logicalId}: property ${this.path}${property} ${reason}`);
  }

  only(known: readonly string[]): this {
    for (const property of Object.keys(this.values)) {
      if (!known.includes(property)) this.refuse(property, 'is not emulated');
    }
    return this;
  }

  text(property: string): string {
    const value = this.values[property];
    if (typeof value !== 'string') return this.refuse(property, 'must be a string');
    return value;
  }

  flag(property: string): boolean {
    const value = this.values[property];
    // CloudFormation accepts booleans as strings too.
    if (value === true || value === 'true') return true;
    if (value === false || value === 'false') return false;
    return this.refuse(property, 'must be a boolean');
  }

  oneOf<T extends string>(property: string, allowed: readonly T[]): T {
    const value = allowed.find((candidate) => candidate === this.values[property]);
    return value ?? this.refuse(property, `must be one of ${allowed.join(', ')}`);
  }

  optional(property: string): Properties | undefined {
    if (this.values[property] === undefined) return undefined;
    return this.nested(this.values[property], property);
  }

  list(property: string): Properties[] {
    const value = this.values[property];
    if (!Array.isArray(value)) return this.refuse(property, 'must be a list');
    return value.map((entry, index) => this.nested(entry, `${property}.${index}`));
  }

  private nested(value: unknown, property: string): Properties {
    if (!isRecord(value)) return this.refuse(property, 'must be an object');
    return new Properties(this.logicalId, value, `${this.path}${property}.`);
  }
}
