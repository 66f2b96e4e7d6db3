/** Starts the issuer that replaces the stack's user pool, and maps the pool's addresses to it. */

import { startOidc } from '../services/oidc/oidc';
import { userPoolOf } from '../services/oidc/user-pool';
import type { Started } from '../services/service';
import type { ResolvedStack } from '../template/model';
import { localizer } from './addresses';

/** What the developer needs to sign in. */
export interface SignIn {
  readonly issuer: string;
  readonly user: string;
  readonly password: string;
}

export interface StartedSignIn extends SignIn, Started {
  /** From an address in AWS to the local one. */
  readonly addresses: ReadonlyMap<string, string>;
}

/**
 * Returns undefined when the stack has no user pool. `addresses` maps the addresses of the pages to
 * which the browser returns.
 */
export async function startSignIn(options: {
  readonly stack: ResolvedStack;
  readonly addresses: ReadonlyMap<string, string>;
  readonly dataDir: string;
  readonly port: number;
  /** Heading of the page. Default: `Sign in`. */
  readonly title?: string;
}): Promise<StartedSignIn | undefined> {
  const pool = userPoolOf(options.stack);
  if (pool === undefined) return undefined;
  const localize = localizer(options.addresses);
  const clients = pool.clients.map((client) => ({
    ...client,
    callbackUrls: client.callbackUrls.map(localize),
    logoutUrls: client.logoutUrls.map(localize),
  }));
  const oidc = await startOidc({ ...options, pool: { ...pool, clients } });
  const { endpoint, user, password } = oidc;
  const inAws = [pool.issuer, ...(pool.domain ? [pool.domain] : [])];
  return {
    issuer: endpoint,
    user,
    password,
    addresses: new Map(inAws.map((address) => [address, endpoint])),
    stop: () => oidc.stop(),
  };
}
