/** Completes command lines. */
import type { Command } from 'commander';
import type { Session } from '../shared/session';

/** Time limit of a request: the shell waits for the candidates. */
const WITHIN_MS = 2_000;

/** Names without control characters and without characters that a shell interprets. */
const PLAIN = /^[^\p{C}\s"'`$\\&|;<>()*?[\]!~#]+$/u;

/**
 * Returns what the last word can become: commands, options, values of an option, buckets and keys.
 * Files are left to the shell. Never throws: nobody would see it.
 */
export async function candidates(
  program: Command,
  session: Session,
  words: readonly string[],
): Promise<readonly string[]> {
  const current = words.at(-1) ?? '';
  const earlier = words.slice(0, -1);
  const command = earlier.reduce<Command | undefined>(
    (found, word) => find(found ?? program, word) ?? found,
    undefined,
  );
  const found = current.startsWith('-')
    ? optionsOf(program, command)
    : (choicesOf(program, command, earlier.at(-1)) ??
      (command ? await argumentsOf(command, session, current) : commandsOf(program)));
  return found.filter((each) => each.startsWith(current) && PLAIN.test(each));
}

function find(parent: Command, word: string): Command | undefined {
  return parent.commands.find((each) => each.name() === word || each.aliases().includes(word));
}

function commandsOf(program: Command): readonly string[] {
  const visible = program.createHelp().visibleCommands(program);
  return visible.map((each) => each.name());
}

function optionsOf(program: Command, command: Command | undefined): readonly string[] {
  const options = [...(command?.options ?? []), ...program.options];
  return [...options.flatMap(({ long }) => (long ? [long] : [])), '--help'];
}

/** Returns the values of the option before the word, or undefined if it has no choices. */
function choicesOf(
  program: Command,
  command: Command | undefined,
  option: string | undefined,
): readonly string[] | undefined {
  const options = [...(command?.options ?? []), ...program.options];
  const found = options.find(({ long, short }) => option === long || option === short);
  if (!found || option === undefined || !(found.required || found.optional)) return undefined;
  return found.argChoices ?? [];
}

async function argumentsOf(
  command: Command,
  session: Session,
  current: string,
): Promise<readonly string[]> {
  if (command.commands.length > 0) return command.commands.map((each) => each.name());
  const choices = command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []);
  if (choices.length > 0) return choices;
  const takesAddress = command.registeredArguments.some((each) =>
    /^(address|object|bucket|paths|source|destination)$/.test(each.name()),
  );
  if (!takesAddress || /^[./~]/.test(current)) return [];
  try {
    return await addresses(session, current);
  } catch {
    return [];
  }
}

/**
 * Returns buckets, or one level of folders and objects once a bucket is named. Pressing TAB asks no
 * service that only a file of the current folder names.
 */
async function addresses(session: Session, current: string): Promise<readonly string[]> {
  const client = await session.client({ mayBeHere: false });
  const signal = AbortSignal.timeout(WITHIN_MS);
  const colon = current.indexOf(':');
  if (colon < 0) {
    const names: string[] = [];
    for await (const { name } of client.buckets.list({ signal })) names.push(`${name}:`);
    return names;
  }
  const bucket = current.slice(0, colon);
  const prefix = current.slice(colon + 1);
  const page = await client.list(bucket, { prefix, delimiter: '/', limit: 100, signal });
  const keys = [...page.prefixes, ...page.objects.map(({ key }) => key)];
  return keys.map((key) => `${bucket}:${key}`);
}
