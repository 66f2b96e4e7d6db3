/** Selects the service and the API key of a command. */
import { UserError } from './errors';
import { firstKey, localUrl } from './local-service';
import { type Profile, profileNamed, readConfig } from './profiles';

/** The options of every command that works on a service. */
export interface ServiceOptions {
  readonly url?: string;
  readonly key?: string;
  readonly profile?: string;
  /** The data folder of the local service. */
  readonly data?: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The data folder of the local service by default. */
export const LOCAL_DATA = '.local';

/**
 * Returns the service that the first of these names: the options, the profile that they name, the
 * environment, the default profile, the local service. The key of a profile, or of the local
 * service, is sent to its own URL only. Throws UserError when there is no URL or no key.
 */
export function findService(options: ServiceOptions, env: Environment = process.env): Profile {
  const named = options.profile === undefined ? undefined : profileNamed(options.profile);
  const envKey = env.STOWAGE_KEY || env.STOWAGE_API_KEY || undefined;
  const place = placeOf(options, named, env);
  const url = place.url.replace(/(?<!\/)\/+$/, '');
  if (!/^https?:\/\/[^/?#]+/.test(url)) {
    throw new UserError(`${url} is not a URL such as https://files.example.com`);
  }
  const key = options.key ?? (named ? place.key : (envKey ?? place.key));
  if (key) return { url, key };
  throw new UserError(`no API key for ${url}: pass --key, set STOWAGE_KEY, or 'stowage login'`);
}

/** Returns the URL, with the key if the same source has one. */
function placeOf(
  options: ServiceOptions,
  named: Profile | undefined,
  env: Environment,
): { readonly url: string; readonly key?: string } {
  if (options.url !== undefined) return { url: options.url };
  if (named) return named;
  if (env.STOWAGE_URL) return { url: env.STOWAGE_URL };
  // An option for the local service goes before a profile that it does not name.
  if (options.data === undefined) {
    const config = readConfig();
    const name = env.STOWAGE_PROFILE || config.default;
    if (name) return profileNamed(name, config);
  }
  const folder = options.data ?? LOCAL_DATA;
  return { url: localUrl(folder), key: firstKey(folder) };
}
