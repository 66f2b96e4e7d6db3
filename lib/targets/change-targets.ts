import { Duration, Lazy, Stack, Token } from 'aws-cdk-lib';
import * as dynamodb from 'aws-cdk-lib/aws-dynamodb';
import * as iam from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { LIMITS } from '../../core/limits';
import { ENV } from '../../lambdas/runtime/env';
import { metricsVariables } from '../functions/environment';
import type { MetricsReporting } from '../functions/functions-options';
import { forBackground } from '../functions/functions-props';
import { schedule } from '../functions/schedule';
import { ServiceFunction, type ServiceFunctionOptions } from '../functions/service-function';
import { wakeByChanges } from '../functions/streams';
import type { Alarms } from '../monitoring/alarms';
import type { StorageOptions } from '../storage/options';
import type { Queues } from '../storage/queues';
import { grant, grantItems, ServiceTable } from '../storage/service-table';
import type { Tables } from '../storage/tables';
import {
  type BoundTarget,
  type ChangeTarget,
  type ChangeTargetOptions,
  validateTarget,
} from './change-target';

export interface ChangeTargetsProps extends ServiceFunctionOptions, StorageOptions {
  readonly tables: Tables;
  readonly queues: Queues;
  readonly reporting: MetricsReporting;
  readonly alarms: Alarms;
  readonly backgroundMemorySize?: number;
}

const MAX_TARGETS = 10;

/** Bytes of the targets in a variable of the function: all its variables may take 4 KB. */
const TARGETS_BYTES = 3400;

/** Upper bound of an address (ARN or URL) that is known only at deployment. */
const ADDRESS_BYTES = 200;

type NamedTarget = BoundTarget & Required<ChangeTargetOptions> & { readonly id: string };

/**
 * Notifies targets outside the service of changes: docs/targets.md. Created with the first target.
 */
export class ChangeTargets extends Construct {
  /** The cursor of each target in each bucket. */
  public readonly cursors: ServiceTable;
  /** The function that notifies the targets. */
  public readonly notifier: ServiceFunction;
  private readonly targets: NamedTarget[] = [];

  /** @internal */
  constructor(scope: Construct, id: string, props: ChangeTargetsProps) {
    super(scope, id);
    this.cursors = new ServiceTable(
      this,
      'Cursors',
      {
        partitionKey: { name: 'target', type: dynamodb.AttributeType.STRING },
        sortKey: { name: 'bucket_id', type: dynamodb.AttributeType.STRING },
      },
      props,
    );
    this.notifier = this.createNotifier(props);
    this.grantTables(props.tables);
    this.allowTasks();
    wakeByChanges(this, 'Changes', this.notifier, props);
    // Also for the tasks that the function sends to itself.
    schedule(this, this.notifier, {
      Sweep: {
        task: 'sweep',
        interval: Duration.minutes(1),
        description: 'finds targets that are behind',
      },
    });
    props.alarms.onTargets(this.notifier);
  }

  /** @internal Throws an Error that names what is wrong. */
  public add(id: string, target: ChangeTarget, options: ChangeTargetOptions): void {
    validateTarget(id, options);
    if (this.targets.some((other) => other.id === id)) {
      throw new Error(`onChange ${id}: there is a target with this id already`);
    }
    if (this.targets.length === MAX_TARGETS) {
      throw new Error(
        `onChange ${id}: there are ${MAX_TARGETS} targets already, which is the limit: let an event bus notify more`,
      );
    }
    const { buckets = ['*'], startFrom = 'now' } = options;
    this.targets.push({ id, ...target.bind(this.notifier), buckets, startFrom });
    const bytes = bytesOf(this.targets);
    if (bytes > TARGETS_BYTES) {
      throw new Error(
        `onChange ${id}: all targets together must take at most ${TARGETS_BYTES} bytes as JSON, got ${bytes}: ` +
          'name fewer buckets, use prefixes, give shorter ids, or let an event bus notify some of the targets',
      );
    }
  }

  private createNotifier(props: ChangeTargetsProps): ServiceFunction {
    const { tables } = props;
    return new ServiceFunction(this, 'Notifier', {
      ...forBackground(props),
      bundle: 'targets',
      description: 'Notifies functions, queues and event buses outside the service of changes',
      // A function that is a target may take three minutes.
      timeout: Duration.minutes(5),
      environment: {
        [ENV.bucketsTable]: tables.buckets.tableName,
        [ENV.changesTable]: tables.changes.tableName,
        [ENV.targetCursorsTable]: this.cursors.tableName,
        ...metricsVariables(props.reporting),
        [ENV.changeTargets]: Lazy.string({
          produce: () => Stack.of(this).toJsonString(this.targets),
        }),
      },
    });
  }

  private grantTables(tables: Tables): void {
    const { notifier } = this;
    const { buckets, changes } = tables;
    tables.grantFollowLog(notifier);
    grant(notifier, this.cursors, 'GetItem', 'Query', 'UpdateItem', 'DeleteItem');
    grant(notifier, changes, 'GetItem');
    grantItems(notifier, buckets, { StringNotLike: '#*' }, 'BatchGetItem');
    // The names of all buckets, and the deleted ones; never the secrets in the same table.
    grantItems(notifier, buckets, { StringLike: ['#directory', '#deleted'] }, 'Query');
  }

  /**
   * The function invokes itself once per target, so that no target waits for another. The grant
   * stands in a policy of its own: the role's default policy must exist before the function.
   */
  private allowTasks(): void {
    new iam.Policy(this, 'SendTasks', {
      roles: [this.notifier.role],
      statements: [
        new iam.PolicyStatement({
          actions: ['lambda:InvokeFunction'],
          resources: [this.notifier.function.functionArn],
        }),
      ],
    });
  }
}

/**
 * Bytes of the targets as JSON when they are deployed. Values that are not known yet count with
 * their upper bound.
 */
function bytesOf(targets: readonly NamedTarget[]): number {
  const known = (text: string, bytes: number) =>
    Token.isUnresolved(text) ? '?'.repeat(bytes) : text;
  const deployed = targets.map((target) => ({
    ...target,
    address: known(target.address, ADDRESS_BYTES),
    buckets: target.buckets.map((pattern) => known(pattern, LIMITS.bucketNameMax)),
  }));
  return Buffer.byteLength(JSON.stringify(deployed));
}
