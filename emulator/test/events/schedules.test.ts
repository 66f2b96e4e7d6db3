import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { UserError } from '../../src/errors/user-error';
import { startSchedules } from '../../src/services/events/schedules';
import type { LambdaService } from '../../src/services/lambda/lambda';
import { useLambda } from '../lambda/service';
import { functionArn, functionStack } from '../lambda/stack';
import { useFolder } from '../support/clean-up';
import { until } from '../support/until';

const PERMISSION = {
  Type: 'AWS::Lambda::Permission',
  Properties: {
    Action: 'lambda:InvokeFunction',
    FunctionName: { Ref: 'Fn' },
    Principal: 'events.amazonaws.com',
    SourceArn: { 'Fn::GetAtt': ['Rule', 'Arn'] },
  },
};

function ruleStack(properties: Record<string, unknown> = {}) {
  const rule = {
    Type: 'AWS::Events::Rule',
    Properties: {
      Name: 'rule',
      ScheduleExpression: 'rate(1 hour)',
      Targets: [{ Id: 'T', Arn: { 'Fn::GetAtt': ['Fn', 'Arn'] }, Input: '{"task":"x"}' }],
      ...properties,
    },
  };
  return functionStack(
    { Fn: { Handler: 'buffered.handler' } },
    { Rule: rule, Permission: PERMISSION },
  );
}

/** `lastRun`: time of a run before this start, in epoch milliseconds. */
function useRule(properties: Record<string, unknown>, lastRun?: number) {
  const stack = ruleStack(properties);
  const dataDir = useFolder();
  const file = join(dataDir, 'schedules', 'Rule');
  if (lastRun !== undefined) {
    mkdirSync(join(dataDir, 'schedules'));
    writeFileSync(file, String(lastRun));
  }
  const real = useLambda(stack);
  const events: unknown[] = [];
  const lambda: LambdaService = {
    ...real,
    invokeAsync: async (arn, payload, source) => {
      if (source === undefined || !real.permits(arn, source)) throw new Error('not permitted');
      events.push({ arn, event: JSON.parse(payload) });
    },
  };
  const schedules = startSchedules({ stack, lambda, dataDir });
  return { schedules, events, savedRun: () => Number(readFileSync(file, 'utf8')) };
}

const HOUR = 3_600_000;

test('runs a rule once at the start when it was due before, then waits for its interval', async () => {
  const { schedules, events, savedRun } = useRule({}, Date.now() - 2 * HOUR);
  await until(() => events.length === 1);
  await until(() => Date.now() - savedRun() < HOUR);
  await schedules.stop();
  expect(events).toEqual([{ arn: functionArn('Fn'), event: { task: 'x' } }]);
});

test('runs a rule after its interval', async () => {
  const { schedules, events } = useRule({}, Date.now() - HOUR + 100);
  expect(events).toEqual([]);
  await until(() => events.length === 1);
  await schedules.stop();
});

test('sends the event of EventBridge when the target has no input', async () => {
  const target = { Id: 'T', Arn: { 'Fn::GetAtt': ['Fn', 'Arn'] } };
  const { schedules, events } = useRule({ Targets: [target] }, Date.now() - 2 * HOUR);
  await until(() => events.length === 1);
  await schedules.stop();
  expect(events[0]).toMatchObject({
    event: {
      'detail-type': 'Scheduled Event',
      source: 'aws.events',
      account: '000000000000',
      resources: ['arn:aws:events:us-east-1:000000000000:rule/rule'],
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
    },
  });
});

test('runs a new rule only after its interval, and a disabled one never', async () => {
  const fresh = useRule({});
  const disabled = useRule({ State: 'DISABLED' }, Date.now() - 2 * HOUR);
  await Promise.all([fresh.schedules.stop(), disabled.schedules.stop()]);
  expect(fresh.events).toEqual([]);
  expect(disabled.events).toEqual([]);
  expect(Date.now() - fresh.savedRun()).toBeLessThan(HOUR);
});

test('refuses a target that is not a function', () => {
  const targets = [{ Id: 'T', Arn: 'arn:aws:sqs:us-east-1:000000000000:q' }];
  expect(() => useRule({ Targets: targets })).toThrow(UserError);
});
