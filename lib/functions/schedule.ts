import { type Duration, Validations } from 'aws-cdk-lib';
import * as events from 'aws-cdk-lib/aws-events';
import * as targets from 'aws-cdk-lib/aws-events-targets';
import type { Construct } from 'constructs';
import type { ServiceFunction } from './service-function';

export interface ScheduledTask {
  readonly function: ServiceFunction;
  /** The function is invoked with `{"task": task}`. */
  readonly task: string;
  readonly interval: Duration;
  /** One line for the console. */
  readonly description: string;
}

/** Invokes the function at an interval. The next run makes up for one that was lost. */
export function schedule(scope: Construct, id: string, props: ScheduledTask): void {
  const rule = new events.Rule(scope, id, {
    description: props.description,
    schedule: events.Schedule.rate(props.interval),
    targets: [
      new targets.LambdaFunction(props.function.function, {
        event: events.RuleTargetInput.fromObject({ task: props.task }),
      }),
    ],
  });
  Validations.of(rule).acknowledge({
    id: 'Serverless-EventBusDLQ',
    reason:
      'A scheduled event only names the task that is due. The next event makes up for a lost one, so a dead letter would be of no use.',
  });
}
