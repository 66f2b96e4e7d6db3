/** The command `completion`, and the hidden command that its scripts call. */
import type { Command } from 'commander';
import { Argument } from 'commander';
import { examples } from '../shared/help';
import { act, type Session } from '../shared/session';
import { candidates } from './candidates';
import { SCRIPTS, type Shell } from './scripts';

/** The scripts ask for the candidates by this name, which the help does not show. */
export const COMPLETE = '__complete';

export function completionCommands(program: Command): void {
  program.commandsGroup('Help:');
  const command = program
    .command('completion')
    .description('print the completion script of a shell: commands, options, buckets and keys')
    .addArgument(new Argument('<shell>').choices(Object.keys(SCRIPTS)))
    .action((shell: Shell) => {
      process.stdout.write(SCRIPTS[shell]);
    });
  examples(command, [
    'source <(stowage completion bash)                                      # in ~/.bashrc',
    'source <(stowage completion zsh)                                       # in ~/.zshrc',
    'stowage completion fish > ~/.config/fish/completions/stowage.fish',
  ]);
  program
    .command(COMPLETE, { hidden: true })
    .argument('[words...]')
    .allowUnknownOption()
    .helpOption(false)
    .action(act((session, words) => complete(program, session, words as readonly string[])));
}

async function complete(
  program: Command,
  session: Session,
  words: readonly string[],
): Promise<void> {
  for (const each of await candidates(program, session, words)) {
    process.stdout.write(`${each}\n`);
  }
}
