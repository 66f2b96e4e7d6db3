import { Duration, Validations } from 'aws-cdk-lib';
import * as events from 'aws-cdk-lib/aws-events';
import * as targets from 'aws-cdk-lib/aws-events-targets';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import type { ServiceFunction } from './service-function';

export interface ScheduledTask {
  /** The function is invoked with `{"task": task}`. */
  readonly task: string;
  /** At least a minute. */
  readonly interval: Duration;
  /** One line for the console. */
  readonly description: string;
}

/**
 * Invokes the function for each task at its interval; the ids are those of the rules. The next run
 * makes up for one that was lost or failed, so none is repeated, and none is kept for long: Lambda
 * would keep events that it cannot start for six hours, and run all of them together.
 */
export function schedule(
  scope: Construct,
  service: ServiceFunction,
  tasks: Readonly<Record<string, ScheduledTask>>,
): void {
  const config = new lambda.EventInvokeConfig(scope, 'Tasks', {
    function: service.function,
    retryAttempts: 0,
    maxEventAge: Duration.minutes(1),
  });
  Validations.of(config).acknowledge({
    id: 'Serverless-LambdaAsyncFailureDestination',
    reason:
      'An event only names the task that is due. The next event makes up for one that failed, so it is neither repeated nor kept.',
  });
  for (const [id, task] of Object.entries(tasks)) addRule(scope, id, service, task);
}

function addRule(
  scope: Construct,
  id: string,
  service: ServiceFunction,
  { task, interval, description }: ScheduledTask,
): void {
  const rule = new events.Rule(scope, id, {
    description,
    schedule: events.Schedule.rate(interval),
    targets: [
      new targets.LambdaFunction(service.function, {
        event: events.RuleTargetInput.fromObject({ task }),
        // Until the next event is due.
        maxEventAge: interval,
      }),
    ],
  });
  Validations.of(rule).acknowledge({
    id: 'Serverless-EventBusDLQ',
    reason:
      'A scheduled event only names the task that is due. The next event makes up for a lost one, so a dead letter would be of no use.',
  });
}
