/** AWS::Events::Rule with a schedule: invokes functions at a fixed rate. */
import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { UserError } from '../../errors/user-error';
import { readIfThere } from '../../machine/file-errors';
import { replaceFile } from '../../machine/replace-file';
import type { ResolvedResource, ResolvedStack } from '../../template/model';
import { listProperty, resourcesOfType, textProperty } from '../../template/resources';
import { isRecord } from '../../values/json';
import type { LambdaService } from '../lambda/lambda';
import type { Started } from '../service';
import { parseRate } from './rate';

export interface SchedulesOptions {
  readonly stack: ResolvedStack;
  readonly lambda: LambdaService;
  /** Absolute folder in which the time of each rule's last run is saved. */
  readonly dataDir: string;
}

/** Milliseconds: a longer setTimeout fires at once, so longer waits are done in several steps. */
const LONGEST_WAIT = 24 * 60 * 60 * 1000;

interface Rule {
  readonly resource: ResolvedResource;
  /** Milliseconds. */
  readonly interval: number;
  readonly targets: readonly { readonly arn: string; readonly input?: string }[];
}

/**
 * Runs the rules of the stack. The interval counts from the last run, also across restarts: a run
 * that fell due while the emulator was stopped is made up for at the start. Otherwise a daily rule
 * would never run on a machine that is switched off at night.
 */
export function startSchedules(options: SchedulesOptions): Started {
  const folder = join(options.dataDir, 'schedules');
  mkdirSync(folder, { recursive: true });
  const clocks = resourcesOfType(options.stack, 'AWS::Events::Rule')
    .filter((resource) => resource.properties.ScheduleExpression !== undefined)
    .map((resource) => parseRule(resource))
    .filter((rule) => rule.resource.properties.State !== 'DISABLED')
    .map((rule) => new RuleClock(rule, join(folder, rule.resource.logicalId), options));
  for (const clock of clocks) clock.start();
  return {
    async stop() {
      await Promise.all(clocks.map((clock) => clock.stop()));
    },
  };
}

function parseRule(resource: ResolvedResource): Rule {
  const { logicalId } = resource;
  const expression = textProperty(resource, 'ScheduleExpression');
  const targets = listProperty(resource, 'Targets').map((target, index) => {
    const where = `${logicalId}.Targets[${index}]`;
    if (!isRecord(target) || typeof target.Arn !== 'string' || !target.Arn.includes(':lambda:')) {
      throw new UserError(`${where}.Arn: the emulator runs functions only on a schedule`);
    }
    return { arn: target.Arn, input: typeof target.Input === 'string' ? target.Input : undefined };
  });
  return {
    resource,
    interval: parseRate(expression, `${logicalId}.ScheduleExpression`),
    targets,
  };
}

class RuleClock {
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> = Promise.resolve();
  private stopped = false;

  constructor(
    private readonly rule: Rule,
    private readonly file: string,
    private readonly options: SchedulesOptions,
  ) {}

  start(): void {
    let last = Number(readIfThere(this.file) ?? '');
    if (!(last > 0)) {
      last = Date.now();
      this.save(last);
    }
    this.wait(last);
  }

  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.running;
  }

  private wait(last: number): void {
    if (this.stopped) return;
    const due = last + this.rule.interval;
    const delay = due - Date.now();
    this.timer = setTimeout(
      () => {
        if (Date.now() < due) this.wait(last);
        else this.running = this.fire();
      },
      Math.min(Math.max(delay, 0), LONGEST_WAIT),
    );
  }

  private async fire(): Promise<void> {
    const now = Date.now();
    const ruleArn = this.rule.resource.arn ?? '';
    for (const { arn, input } of this.rule.targets) {
      const payload = input ?? scheduledEvent(this.options.stack, ruleArn, now);
      try {
        await this.options.lambda.invokeAsync(arn, payload, {
          service: 'events.amazonaws.com',
          arn: ruleArn,
        });
      } catch (error) {
        // AWS counts this in the metric FailedInvocations and continues with the rule.
        process.stderr.write(`rule ${this.rule.resource.logicalId}: ${error}\n`);
      }
    }
    this.save(now);
    this.wait(now);
  }

  private save(time: number): void {
    replaceFile(this.file, String(time));
  }
}

function scheduledEvent(stack: ResolvedStack, ruleArn: string, now: number): string {
  return JSON.stringify({
    version: '0',
    id: randomUUID(),
    'detail-type': 'Scheduled Event',
    source: 'aws.events',
    account: stack.accountId,
    time: `${new Date(now).toISOString().slice(0, 19)}Z`,
    region: stack.region,
    resources: [ruleArn],
    detail: {},
  });
}
