import { Duration, Validations } from 'aws-cdk-lib';
import * as events from 'aws-cdk-lib/aws-events';
import * as targets from 'aws-cdk-lib/aws-events-targets';
import type * as lambda from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';

export interface SchedulesProps {
  readonly janitor: lambda.IFunction;
}

/**
 * When the janitor does what; docs/design.md, "Functions". A run that is missed is made up for by
 * the next.
 */
export class Schedules extends Construct {
  constructor(scope: Construct, id: string, props: SchedulesProps) {
    super(scope, id);
    const every = (name: string, task: string, interval: Duration, description: string): void => {
      const rule = new events.Rule(this, name, {
        description,
        schedule: events.Schedule.rate(interval),
        targets: [
          new targets.LambdaFunction(props.janitor, {
            event: events.RuleTargetInput.fromObject({ task }),
          }),
        ],
      });
      Validations.of(rule).acknowledge({
        id: 'Serverless-EventBusDLQ',
        reason:
          'An event of a schedule says no more than which task is due: one that is lost is made up for by the next, and a letter kept of it would be of no use.',
      });
    };

    every('Feeds', 'feeds', Duration.minutes(1), 'fences, delivers and trims quiet change logs');
    every(
      'Uploads',
      'uploads',
      Duration.hours(1),
      'finds presigned uploads whose S3 event was lost',
    );
    every(
      'Reconcile',
      'reconcile',
      Duration.hours(1),
      'compares blobs with records, both ways: a round a day, over as many runs as it takes',
    );
  }
}
