/** Help and option parsers that several commands share. */
import type { Command } from 'commander';
import { UsageError } from './errors';

/** Adds examples to the help of a command. */
export function examples(command: Command, lines: readonly string[]): Command {
  const text = lines.map((each) => `  ${each}`).join('\n');
  return command.addHelpText('after', `\nExamples:\n${text}`);
}

/** Parses the value of an option that is a whole number from `least`. Throws UsageError. */
export function wholeNumber(option: string, least = 0): (text: string) => number {
  return (text) => {
    if (/^\d{1,15}$/.test(text) && Number(text) >= least) return Number(text);
    throw new UsageError(`${option} must be a whole number from ${least}, got ${text}`);
  };
}

/** Collects the values of an option that is repeated: with `<value...>` it would take arguments. */
export function repeated(text: string, earlier: readonly string[] = []): readonly string[] {
  return [...earlier, text];
}
