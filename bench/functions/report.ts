/** Formats the figures of the functions alone as Markdown. */

import { table, wrap } from '../markdown';
import type { Figures, HandlerFigures } from './handlers';

export function handlersReport({ builds, operations, cold }: HandlerFigures): string {
  const heads = (unit: string) => headsOf(unit, builds);
  return [
    wrap(
      'The bundled handlers in processes of their own, called one invocation after another; S3 ' +
        'and DynamoDB answer from another process. Milliseconds of processor time of the ' +
        "function's process per invocation, and kB that it allocates: medians.",
    ),
    table(
      ['Operation', ...heads('ms'), ...heads('kB')],
      operations.map(({ name, time, allocated }) => [
        name,
        ...cells(time, (ms) => ms.toFixed(2)),
        ...cells(allocated, (bytes) => (bytes / 1000).toFixed(0)),
      ]),
    ),
    wrap(
      'A new process, milliseconds of processor time: `require` of the bundle, and the first ' +
        'invocation.',
    ),
    table(
      ['Function', ...heads('load'), ...heads('first')],
      cold.map(({ name, load, first }) => [
        name,
        ...cells(load, (ms) => ms.toFixed(1)),
        ...cells(first, (ms) => ms.toFixed(1)),
      ]),
    ),
  ].join('\n\n');
}

/** A column for this build; with others a column for each, and the ratio to each. */
function headsOf(unit: string, builds: readonly string[]): readonly string[] {
  if (builds.length === 1) return [unit];
  const others = builds.slice(0, -1);
  return [...builds.map((build) => `${unit}, ${build}`), ...others.map(() => 'ratio')];
}

function cells({ values, ratios }: Figures, format: (value: number) => string): readonly string[] {
  return [...values.map(format), ...ratios.slice(0, -1).map((ratio) => `**${ratio.toFixed(2)}**`)];
}
