/** What CloudFront and AWS WAF count, in one region only: gateway/cloudfront-region.ts. */
import { Duration } from 'aws-cdk-lib';
import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import type * as wafv2 from 'aws-cdk-lib/aws-wafv2';
import type { Edge } from '../gateway/edge';

interface EdgeAlarm {
  readonly id: string;
  readonly metric: cloudwatch.IMetric;
  /** Of the runbook. */
  readonly section: string;
  /** Rates are percentages. */
  readonly threshold: number;
}

/** The alarms on requests that the APIs never see. Each holds for a quarter of an hour. */
export function edgeAlarms({ distribution, webAcl }: Edge): readonly EdgeAlarm[] {
  const period = Duration.minutes(5);
  const [errors, refusals] = [
    distribution.metric5xxErrorRate({ period }),
    distribution.metric4xxErrorRate({ period }),
  ];
  const ofDistribution = [
    { id: 'EdgeErrors', metric: errors, section: 'edge-errors', threshold: 1 },
    { id: 'EdgeRefusals', metric: refusals, section: 'refusals', threshold: 90 },
  ];
  if (webAcl === undefined) return ofDistribution;
  const blocked = blockedRequests(webAcl, period);
  return [
    ...ofDistribution,
    { id: 'WebAclBlocks', metric: blocked, section: 'web-acl-blocks', threshold: 100 },
  ];
}

/**
 * Requests that any rule refused.
 * https://docs.aws.amazon.com/waf/latest/developerguide/waf-metrics.html
 */
function blockedRequests(
  { visibilityConfig }: wafv2.CfnWebACL,
  period: Duration,
): cloudwatch.Metric {
  const { metricName: WebACL } = visibilityConfig as wafv2.CfnWebACL.VisibilityConfigProperty;
  return new cloudwatch.Metric({
    namespace: 'AWS/WAFV2',
    metricName: 'BlockedRequests',
    dimensionsMap: { WebACL, Rule: 'ALL' },
    statistic: cloudwatch.Stats.SUM,
    period,
  });
}
