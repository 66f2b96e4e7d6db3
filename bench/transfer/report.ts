/** Formats the figures of the transfers as Markdown. */
import { table, wrap } from '../markdown';
import { median } from '../statistics';
import type { Run, TransferFigures } from './measure';

const BASE = 'SDK';

export function transferReport({ bytes, rounds, runs, killed }: TransferFigures): string {
  const rows = ['upload', 'download'].flatMap((kind) => {
    const ofKind = runs.filter((run) => run.kind === kind);
    const names = [...new Set(ofKind.map(({ program }) => program))];
    return names.map((name) => {
      const own = ofKind.filter(({ program }) => program === name);
      return [`${kind} by ${name}`, ...figures(own, ofKind, bytes)];
    });
  });
  const kills = killed.map(
    ({ kind, kills: count, again }) =>
      `The ${kind} by the command, killed ${count} times and repeated, moved ` +
      `${(again / 1024 ** 2).toFixed(1)} MiB again, ` +
      `${(again / 1024 ** 2 / Math.max(1, count)).toFixed(1)} MiB a kill.`,
  );
  return [
    wrap(
      `${Math.round(bytes / 1024 ** 2)} MiB, ${rounds} rounds in turns, medians. \`ratio\`: the ` +
        'rate divided by that of the SDK in the same round, in brackets the smallest and the ' +
        'largest. Processor time and the largest resident set are those of the process.',
    ),
    table(['', 'MB/s', 'ratio', 'processor, s', 'memory, MB'], rows),
    ...kills.map(wrap),
  ].join('\n\n');
}

function figures(own: readonly Run[], all: readonly Run[], bytes: number): string[] {
  const ratios = own.map(({ round, seconds }) => {
    const base = all.find((run) => run.program === BASE && run.round === round);
    return (base?.seconds ?? Number.NaN) / seconds;
  });
  const [least, most] = [Math.min(...ratios), Math.max(...ratios)];
  return [
    (bytes / 1e6 / median(own.map(({ seconds }) => seconds))).toFixed(0),
    `**${median(ratios).toFixed(2)}** (${least.toFixed(2)}–${most.toFixed(2)})`,
    median(own.map(({ cpuSeconds }) => cpuSeconds)).toFixed(1),
    (Math.max(...own.map(({ peakBytes }) => peakBytes)) / 1e6).toFixed(0),
  ];
}
