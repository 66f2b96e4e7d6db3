/** Commands for profiles, which name a service and its key. */
import type { Command } from 'commander';
import { StowageClient, StowageError } from '../../client/index';
import { UsageError, UserError } from '../shared/errors';
import { examples } from '../shared/help';
import { configFile, profileNamed, readConfig, writeConfig } from '../shared/profiles';
import { ask, askSecret, isAsked } from '../shared/prompt';
import { requireAddress } from '../shared/service';
import { act, type GlobalOptions, type Session } from '../shared/session';
import { shown } from '../shared/text';

/** The profile of a login that names none. */
const DEFAULT_NAME = 'default';

export function profileCommands(program: Command): void {
  program.commandsGroup('Which service:');
  const login = program
    .command('login')
    .description('save a service and its API key as a profile')
    .option('--default', 'use this profile when none is named (the first one is)')
    .action(act((session, options: LoginOptions) => save(session, options)));
  examples(login, [
    'stowage login --url https://files.example.com                 # asks for the key',
    'stowage login --profile work --url https://files.example.com < key.txt',
    'stowage ls --profile work',
  ]);
  program.command('logout').description('forget a profile and its key').action(act(forget));
  program.command('profiles').description('list the profiles').action(act(list));
}

interface LoginOptions {
  readonly default?: boolean;
}

async function save(session: Session, { default: isDefault }: LoginOptions): Promise<void> {
  const { signal, output, options } = session;
  const { profile: name = DEFAULT_NAME, key: given } = options;
  const url = (options.url ?? (await askUrl(signal))).replace(/\/$/, '');
  const key = given ?? (await askSecret(`API key for ${url}: `, signal));
  if (key === '') throw new UsageError('no API key: type it, or pass it on standard input');
  requireAddress(url, options);
  await requireAccepted(url, key, signal);
  const config = readConfig();
  writeConfig({
    default: isDefault ? name : (config.default ?? name),
    profiles: { ...config.profiles, [name]: { url, key } },
  });
  await output.print({ profile: name, url }, `${name}: ${url}, saved in ${configFile()}`);
}

async function askUrl(signal: AbortSignal): Promise<string> {
  if (!isAsked()) throw new UsageError('pass --url: where the service is');
  return (await ask('Where the service is, such as https://files.example.com: ', signal)).trim();
}

/** Tries the key. A key without permission to list buckets is valid, too. */
async function requireAccepted(url: string, key: string, signal: AbortSignal): Promise<void> {
  const client = clientOf(url, key);
  try {
    await client.buckets.list({ signal }).next();
  } catch (error) {
    if (!(error instanceof StowageError) || error.code !== 'forbidden') throw error;
  }
}

function clientOf(baseUrl: string, apiKey: string): StowageClient {
  try {
    return new StowageClient({ baseUrl, apiKey, allowPlainHttp: true });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : `${baseUrl} is no address`);
  }
}

async function forget({ output, options }: Session): Promise<void> {
  const config = readConfig();
  const name = options.profile ?? config.default;
  if (name === undefined) throw new UserError('there is no profile to forget');
  profileNamed(name, config);
  const { [name]: _, ...profiles } = config.profiles;
  const isDefault = config.default === name;
  writeConfig({ ...(!isDefault && { default: config.default }), profiles });
  await output.print({ profile: name }, `${name} is forgotten; its key still works until revoked`);
}

async function list({ output }: Session, _options: GlobalOptions): Promise<void> {
  const { profiles, default: usual } = readConfig();
  for (const [profile, { url }] of Object.entries(profiles)) {
    const isDefault = profile === usual;
    const text = `${isDefault ? '*' : ' '} ${shown(profile)}  ${shown(url)}`;
    await output.print({ profile, url, is_default: isDefault }, text);
  }
}
