/** Selects the service and the API key of a command. */
import { PRIVATE_URL } from '../../client/http';
import { UsageError, UserError } from './errors';
import { firstKey, localUrl, requireTrusted } from './local-service';
import { type Profile, profileNamed, readConfig } from './profiles';

/** The options of every command that works on a service. */
export interface ServiceOptions {
  readonly url?: string;
  readonly key?: string;
  readonly profile?: string;
  /** The data folder of the local service. */
  readonly data?: string;
  /** Whether the key may go unencrypted to a host that is not this machine. */
  readonly allowPlainHttp?: boolean;
  /** Whether the service of the current folder may be meant. @default true */
  readonly mayBeHere?: boolean;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The data folder of the local service by default. */
export const LOCAL_DATA = '.local';

/**
 * Returns the service that the first of these names: the options, the profile that they name, the
 * environment, the default profile, the local service. The key comes from where the URL comes from:
 * an option, and the environment beside an option of a URL, only add to what a user names. Throws
 * UserError when there is no URL or no key, or the key would go unencrypted over a network.
 */
export function findService(options: ServiceOptions, env: Environment = process.env): Profile {
  const { key, ...place } = placeOf(options, env);
  const url = place.url.replace(/(?<!\/)\/+$/, '');
  requireAddress(url, options, env);
  if (key) return { url, key };
  throw new UserError(`no API key for ${url}: pass --key, set STOWAGE_KEY, or 'stowage login'`);
}

/** Throws UserError for a text that is no address, and for plain HTTP to another machine. */
export function requireAddress(
  url: string,
  { allowPlainHttp }: Pick<ServiceOptions, 'allowPlainHttp'>,
  env: Environment = process.env,
): void {
  if (!/^https?:\/\/[^/?#]+/.test(url) || !URL.canParse(url)) {
    throw new UserError(`${url} is not a URL such as https://files.example.com`);
  }
  if (PRIVATE_URL.test(url)) return;
  if (allowPlainHttp || env.STOWAGE_ALLOW_PLAIN_HTTP === '1') return;
  throw new UsageError(
    `${url} would receive the API key unencrypted: use https://, or pass --allow-plain-http ` +
      'in a network where nobody else listens',
  );
}

/** Returns the URL, with the key if there is one for it. */
function placeOf(
  options: ServiceOptions,
  env: Environment,
): { readonly url: string; readonly key?: string } {
  const { url, key, data, profile, mayBeHere = true } = options;
  const envKey = env.STOWAGE_KEY || env.STOWAGE_API_KEY || undefined;
  if (url !== undefined) return { url, key: key ?? envKey };
  if (profile !== undefined) return { ...profileNamed(profile), ...(key && { key }) };
  if (env.STOWAGE_URL) return { url: env.STOWAGE_URL, key: key ?? envKey };
  // An option for the local service goes before a profile that it does not name.
  if (data !== undefined) return { url: localUrl(data), key: key ?? firstKey(data) };
  if (key !== undefined || envKey !== undefined) {
    const what = key === undefined ? 'STOWAGE_KEY' : '--key';
    throw new UsageError(
      `${what} is for a service that you name: pass --url, --profile or --data, or set STOWAGE_URL`,
    );
  }
  const config = readConfig();
  const name = env.STOWAGE_PROFILE || config.default;
  if (name) return profileNamed(name, config);
  if (!mayBeHere) throw new UserError('no service is named');
  const found = { url: localUrl(LOCAL_DATA), key: firstKey(LOCAL_DATA) };
  requireTrusted(LOCAL_DATA, found.url);
  return found;
}
