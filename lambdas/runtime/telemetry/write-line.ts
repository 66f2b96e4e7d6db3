/**
 * Writes a line of the function's log as it is. With console.log, Lambda would put it as a string
 * into a JSON object of its own, from which CloudWatch extracts no metric, and which takes more
 * bytes. It adds nothing to JSON lines on stdout that have a timestamp and a level:
 * https://docs.aws.amazon.com/lambda/latest/dg/monitoring-cloudwatchlogs-log-level.html
 */
export function writeLine(line: string): void {
  process.stdout.write(`${line}\n`);
}
