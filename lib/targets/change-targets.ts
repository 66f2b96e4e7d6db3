import { Duration, Lazy, RemovalPolicy, Stack, Token, Validations } from 'aws-cdk-lib';
import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import * as dynamodb from 'aws-cdk-lib/aws-dynamodb';
import * as events from 'aws-cdk-lib/aws-events';
import * as targets from 'aws-cdk-lib/aws-events-targets';
import * as iam from 'aws-cdk-lib/aws-iam';
import type * as kms from 'aws-cdk-lib/aws-kms';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import * as logs from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { ENV } from '../../lambdas/shared/env';
import { type FunctionsProps, metricsVariables } from '../functions/functions';
import { ServiceFunction, type ServiceFunctionOptions } from '../functions/service-function';
import type { Alarms } from '../monitoring/alarms';
import type { Queues } from '../storage/queues';
import { grant, grantItems, ServiceTable } from '../storage/service-table';
import type { Tables } from '../storage/tables';
import {
  type BoundTarget,
  type ChangeTarget,
  type ChangeTargetOptions,
  validateTarget,
} from './change-target';

export interface ChangeTargetsProps extends ServiceFunctionOptions {
  readonly tables: Tables;
  readonly queues: Queues;
  /** What the functions report, and where. */
  readonly reports: FunctionsProps['reports'];
  readonly alarms: Alarms;
  readonly backgroundMemorySize?: number;
  readonly deletionProtection?: boolean;
  readonly encryptionKey?: kms.IKey;
}

const MAX_TARGETS = 10;

/** Bytes of the targets in a variable of the function: all its variables may take 4 KB. */
const TARGETS_BYTES = 3400;

/**
 * Of the address of a function, a queue or a bus that is made by the deployment, and so not known
 * before.
 */
const ADDRESS_BYTES = 200;

type NamedTarget = BoundTarget & Required<ChangeTargetOptions> & { readonly id: string };

/**
 * Delivers changes to targets outside of the service: docs/construct.md, "React to changes". Made
 * with the first target.
 */
export class ChangeTargets extends Construct {
  /** How far each target was told of each bucket. */
  public readonly positions: ServiceTable;
  /** Tells the targets. */
  public readonly notifier: ServiceFunction;
  private readonly targets: NamedTarget[] = [];

  /** @internal */
  constructor(
    scope: Construct,
    id: string,
    private readonly props: ChangeTargetsProps,
  ) {
    super(scope, id);
    const { tables, queues } = props;
    const removalPolicy = props.removalPolicy ?? RemovalPolicy.RETAIN;
    this.positions = new ServiceTable(this, 'Positions', {
      partitionKey: { name: 'target', type: dynamodb.AttributeType.STRING },
      sortKey: { name: 'bucket_id', type: dynamodb.AttributeType.STRING },
      billing: dynamodb.Billing.onDemand(),
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      key: props.encryptionKey,
      removalPolicy,
      deletionProtection: props.deletionProtection ?? removalPolicy === RemovalPolicy.RETAIN,
    });
    this.notifier = new ServiceFunction(this, 'Deliver', {
      ...props,
      bundle: 'targets',
      description: 'Delivers changes to functions, queues and buses outside of the service',
      memorySize: props.backgroundMemorySize ?? 512,
      // A function that is told may take three minutes.
      timeout: Duration.minutes(5),
      environment: {
        [ENV.bucketsTable]: tables.buckets.tableName,
        [ENV.changesTable]: tables.changes.tableName,
        [ENV.positionsTable]: this.positions.tableName,
        ...metricsVariables(props.reports),
        [ENV.changeTargets]: Lazy.string({
          produce: () => Stack.of(this).toJsonString(this.targets),
        }),
      },
    });
    tables.grantFollowLog(this.notifier);
    tables.grantReadChangesStream(this.notifier);
    queues.grantGiveUp(this.notifier);
    this.grantPositions();
    this.grantErrands();
    this.wake();
    this.alarms();
  }

  /** @internal Throws an Error that names what is wrong. */
  public add(id: string, target: ChangeTarget, options: ChangeTargetOptions): void {
    validateTarget(id, options);
    if (this.targets.some((other) => other.id === id)) {
      throw new Error(`onChange ${id}: there is a target of this id already`);
    }
    if (this.targets.length === MAX_TARGETS) {
      throw new Error(
        `onChange ${id}: there are ${MAX_TARGETS} targets already; let a bus tell more`,
      );
    }
    const { buckets = ['*'], startFrom = 'now' } = options;
    this.targets.push({ id, ...target.bind(this.notifier), buckets, startFrom });
    const bytes = bytesOf(this.targets);
    if (bytes > TARGETS_BYTES) {
      throw new Error(
        `onChange ${id}: all targets together must take at most ${TARGETS_BYTES} bytes as JSON, got ${bytes}: ` +
          'name fewer buckets, or what they begin with, give shorter ids, or let a bus tell some of them',
      );
    }
  }

  private grantPositions(): void {
    const { buckets, changes } = this.props.tables;
    const { notifier } = this;
    grant(notifier, this.positions, 'GetItem', 'Query', 'UpdateItem', 'DeleteItem');
    grant(notifier, changes, 'GetItem');
    grantItems(notifier, buckets, { StringNotLike: '#*' }, 'BatchGetItem');
    // The names of all buckets, and the deleted ones; never the secrets that lie beside them.
    grantItems(notifier, buckets, { StringLike: ['#directory', '#graves'] }, 'Query');
  }

  /**
   * It invokes itself, once per target, so that none waits for another one. In a policy of its own:
   * the function needs the other one to exist.
   */
  private grantErrands(): void {
    new iam.Policy(this, 'SendErrands', {
      roles: [this.notifier.role],
      statements: [
        new iam.PolicyStatement({
          actions: ['lambda:InvokeFunction'],
          resources: [this.notifier.function.functionArn],
        }),
      ],
    });
    // An errand that was not done is found by the next round.
    const config = new lambda.EventInvokeConfig(this, 'Errands', {
      function: this.notifier.function,
      retryAttempts: 0,
      maxEventAge: Duration.minutes(1),
    });
    Validations.of(config).acknowledge({
      id: 'Serverless-LambdaAsyncFailureDestination',
      reason:
        'An errand says no more than where to look: one that is lost is sent again by the next round.',
    });
  }

  /**
   * A record of the stream is only a wake-up, as for fanout; a stream of DynamoDB has two readers
   * at most, and this is the second.
   */
  private wake(): void {
    const { tables, queues } = this.props;
    new lambda.EventSourceMapping(this, 'Changes', {
      target: this.notifier.function,
      eventSourceArn: tables.changesStreamArn,
      startingPosition: lambda.StartingPosition.TRIM_HORIZON,
      batchSize: 100,
      filters: [lambda.FilterCriteria.filter({ eventName: lambda.FilterRule.isEqual('INSERT') })],
      bisectBatchOnError: true,
      reportBatchItemFailures: true,
      retryAttempts: 5,
      maxRecordAge: Duration.hours(1),
      onFailure: queues.onFailure,
    });
    const round = new events.Rule(this, 'Round', {
      description: 'finds targets that are behind',
      schedule: events.Schedule.rate(Duration.minutes(1)),
      targets: [
        new targets.LambdaFunction(this.notifier.function, {
          event: events.RuleTargetInput.fromObject({ task: 'look' }),
        }),
      ],
    });
    Validations.of(round).acknowledge({
      id: 'Serverless-EventBusDLQ',
      reason: 'A round that is lost is made up for by the next.',
    });
  }

  private alarms(): void {
    const { function: fn, logGroup } = this.notifier;
    const period = Duration.minutes(5);
    const stat = cloudwatch.Stats.SUM;
    this.props.alarms.add(
      'DeliverErrors',
      fn.metricErrors({ period, statistic: stat }),
      'deliver-errors',
    );
    // As text: see Monitoring.
    const told = (name: string, event: string) =>
      new logs.MetricFilter(this, `${name}Filter`, {
        logGroup,
        filterPattern: logs.FilterPattern.allTerms(`"event":"${event}"`),
        metricNamespace: this.props.reports.namespace,
        metricName: name,
      }).metric({ period, statistic: stat });
    this.props.alarms.add('DeliveryLag', told('DeliveryLag', 'delivery_late'), 'delivery-lag');
    this.props.alarms.add(
      'DeliveryLost',
      told('DeliveryLost', 'delivery_expired'),
      'delivery-lost',
    );
  }
}

/** As JSON, when they are deployed; at most, where that is not known yet. */
function bytesOf(targets: readonly NamedTarget[]): number {
  const known = (text: string, bytes: number) =>
    Token.isUnresolved(text) ? '?'.repeat(bytes) : text;
  const deployed = targets.map((target) => ({
    ...target,
    address: known(target.address, ADDRESS_BYTES),
    buckets: target.buckets.map((pattern) => known(pattern, 63)),
  }));
  return Buffer.byteLength(JSON.stringify(deployed));
}
