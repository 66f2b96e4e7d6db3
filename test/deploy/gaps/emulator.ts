/**
 * Checks of MiniStack's AWS APIs. They validate no signature in a header; its scope names the
 * service.
 */
import { request } from 'undici';
import { until } from '../../support/until';
import type { Gap, Target } from './gap';

async function call(
  { aws, agent }: Target,
  service: string,
  headers: Record<string, string>,
  body: string,
): Promise<string> {
  const scope = `20261122/us-east-1/${service}/aws4_request`;
  const authorization = `AWS4-HMAC-SHA256 Credential=test/${scope}, SignedHeaders=host, Signature=0`;
  const options = { dispatcher: agent, method: 'POST', body } as const;
  const response = await request(aws, { ...options, headers: { authorization, ...headers } });
  const text = await response.body.text();
  if (response.statusCode >= 300) throw new Error(`${service}: ${response.statusCode} ${text}`);
  return text;
}

const query = (target: Target, service: string, parameters: Record<string, string>) =>
  call(
    target,
    service,
    { 'content-type': 'application/x-www-form-urlencoded' },
    new URLSearchParams(parameters).toString(),
  );

async function logs<T>(target: Target, operation: string, input: object): Promise<T> {
  const headers = {
    'content-type': 'application/x-amz-json-1.1',
    'x-amz-target': `Logs_20140328.${operation}`,
  };
  return JSON.parse(await call(target, 'logs', headers, JSON.stringify(input)));
}

const METRIC_MATH = {
  Resources: {
    Alarm: {
      Type: 'AWS::CloudWatch::Alarm',
      Properties: {
        ComparisonOperator: 'GreaterThanThreshold',
        EvaluationPeriods: 1,
        Threshold: 1,
        Metrics: [
          { Id: 'sum', Expression: 'one + 1' },
          {
            Id: 'one',
            ReturnData: false,
            MetricStat: {
              Metric: { Namespace: 'AWS/Lambda', MetricName: 'Errors' },
              Period: 60,
              Stat: 'Sum',
            },
          },
        ],
      },
    },
  },
};

export const emulatorGaps: readonly Gap[] = [
  {
    row: 'Access logs',
    seen: async (target) => {
      interface Group {
        readonly logGroupName: string;
      }
      const { logGroups } = await logs<{ logGroups: readonly Group[] }>(
        target,
        'DescribeLogGroups',
        {},
      );
      const names = logGroups.map(({ logGroupName }) => logGroupName);
      const access = names.filter((name) => name.includes('AccessLog'));
      if (access.length === 0) return `there is no log group of a stage among ${names.join(', ')}`;
      for (const logGroupName of access) {
        const { events } = await logs<{ events: readonly unknown[] }>(target, 'FilterLogEvents', {
          logGroupName,
        });
        if (events.length > 0) return `${logGroupName} has ${events.length} lines`;
      }
      return undefined;
    },
  },
  {
    row: 'Metrics and alarms',
    seen: async (target) => {
      const text = await query(target, 'monitoring', {
        Action: 'DescribeAlarms',
        Version: '2010-08-01',
      });
      const states = [...text.matchAll(/<StateValue>(\w+)</g)].map(([, state]) => state);
      const known = states.filter((state) => state !== 'INSUFFICIENT_DATA');
      return states.length > 0 && known.length === 0 ? undefined : `alarms: ${states.join(', ')}`;
    },
  },
  {
    row: 'Alarms of metric math',
    seen: async (target) => {
      const StackName = `gap-${Date.now()}`;
      const version = { Version: '2010-05-15', StackName };
      const TemplateBody = JSON.stringify(METRIC_MATH);
      await query(target, 'cloudformation', { Action: 'CreateStack', TemplateBody, ...version });
      let status = '';
      await until('the stack to end', async () => {
        const text = await query(target, 'cloudformation', {
          Action: 'DescribeStacks',
          ...version,
        });
        status = /<StackStatus>(\w+)</.exec(text)?.[1] ?? '';
        return !status.endsWith('IN_PROGRESS');
      });
      await query(target, 'cloudformation', { Action: 'DeleteStack', ...version });
      return status === 'CREATE_COMPLETE' ? 'such an alarm is created' : undefined;
    },
  },
];
