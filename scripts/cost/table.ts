/** Lines of a bill as text. */
import { billOf, type Line, type PriceName, totalOf } from './bill';
import { planFor } from './plans';
import list from './prices.json';
import { rivalsOf } from './rivals';
import type { Workload } from './workload';

/** `$1,234.56`; what is less than half a cent but something: `< $0.01`. */
export function usd(amount: number): string {
  if (amount > 0 && amount < 0.005) return '< $0.01';
  return `$${amount.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`;
}

const SERVICES: readonly (readonly [string, RegExp])[] = [
  ['API Gateway', /^(api|socket)/],
  ['Lambda', /^lambda/],
  ['DynamoDB', /^dynamodb/],
  ['S3', /^s3/],
  ['transfer', /^(transfer|cloudfront|plan)/],
  ['WAF, secrets', /^(webAcl|secrets)/],
  ['CloudWatch, SQS', /^(logs|metrics|alarms|dashboards|sqs)/],
];

function serviceOf(price: PriceName): string {
  const found = SERVICES.find(([, pattern]) => pattern.test(price));
  if (found === undefined) throw new Error(`no column for the price ${price}`);
  return found[0];
}

/** A row for each cause, a column for each service, as Markdown. */
export function causesTable(lines: readonly Line[]): string {
  const causes = [...new Set(lines.map(({ cause }) => cause))];
  const services = SERVICES.map(([service]) => service);
  const of = (cause: string | undefined, service: string | undefined) =>
    totalOf(
      lines.filter(
        (line) =>
          (cause === undefined || line.cause === cause) &&
          (service === undefined || serviceOf(line.price) === service),
      ),
    );
  const cell = (amount: number) => (amount === 0 ? '' : usd(amount));
  const row = (name: string, cause: string | undefined) =>
    `| ${[name, ...services.map((service) => cell(of(cause, service))), usd(of(cause, undefined))].join(' | ')} |`;
  return [
    `| | ${services.join(' | ')} | total |`,
    `|---|${services.map(() => '---:|').join('')}---:|`,
    ...causes.map((cause) => row(cause, cause)),
    row('**total**', undefined),
  ].join('\n');
}

/** The bill with the plan of CloudFront that suffices, which takes a web ACL; if that is less. */
function withPlan(workload: Workload): Readonly<Record<string, number>> {
  const plan = planFor(workload);
  if (plan === undefined || workload.plan !== undefined) return {};
  const total = totalOf(billOf({ ...workload, webAcl: true, plan }));
  if (total >= totalOf(billOf(workload))) return {};
  return { [`stowage, CloudFront by its plan ${plan}`]: total };
}

/** What the same bytes and requests cost elsewhere. */
export function rivalsTable(workload: Workload): string {
  const rows = {
    stowage: totalOf(billOf(workload)),
    ...withPlan(workload),
    ...rivalsOf(workload),
  };
  return [
    '| | a month |',
    '|---|---:|',
    ...Object.entries(rows).map(([name, amount]) => `| ${name} | ${usd(amount)} |`),
  ].join('\n');
}

export function pricesTable(): string {
  const rows = Object.values(list.prices).map(
    ({ usd: amount, per, unit, source, asOf }) =>
      `| ${unit} | $${amount}${per === 1 ? '' : ` per ${per.toLocaleString('en-US')}`} | [${asOf}](${source}) |`,
  );
  return ['| Price of | us-east-1 | As of |', '|---|---:|---|', ...rows].join('\n');
}
