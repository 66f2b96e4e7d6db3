/** Configures oidc-provider to behave as a Cognito user pool does towards a public client. */
import type { ClientMetadata, Configuration, Provider } from 'oidc-provider';
import { type Accounts, DEVELOPER } from './accounts';
import { createMemoryAdapter } from './memory-adapter';
import type { Secrets } from './secrets';
import type { UserPool } from './user-pool';

/**
 * oidc-provider issues access tokens as JWT only for a named API. The name becomes their `aud`,
 * which Cognito's tokens lack.
 */
const API = 'urn:emulator:user-pool';

/** Path of the sign-in page: `/sign-in/{uid}`. */
export const SIGN_IN = '/sign-in/';

interface Issued {
  readonly pool: UserPool;
  readonly secrets: Secrets;
  readonly accounts: Accounts;
}

export function providerConfiguration(
  { pool, secrets, accounts }: Issued,
  /** Returns the provider that this configuration belongs to. */
  provider: () => Provider,
): Configuration {
  const origins = new Set(
    pool.clients.flatMap(({ callbackUrls }) => callbackUrls.map((url) => new URL(url).origin)),
  );
  const [{ accessTokenSeconds = 3600, refreshTokenSeconds = 3600 } = {}] = pool.clients;
  const scope = [...new Set(pool.clients.flatMap(({ scopes }) => scopes))].join(' ');
  return {
    adapter: createMemoryAdapter(),
    clients: pool.clients.map(clientMetadata),
    jwks: { keys: [secrets.signingKey()] },
    cookies: { keys: [secrets.cookieKey] },
    scopes: scope.split(' '),
    ...claimsOfTokens(pool, accounts),
    pkce: { required: () => true },
    responseTypes: ['code'],
    clientBasedCORS: (_context, origin) => origins.has(origin),
    features: {
      devInteractions: { enabled: false },
      revocation: { enabled: pool.clients.some(({ revocation }) => revocation) },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => API,
        useGrantedResource: () => true,
        getResourceServerInfo: () => ({
          scope,
          accessTokenFormat: 'jwt',
          accessTokenTTL: accessTokenSeconds,
          jwt: { sign: { alg: 'RS256' } },
        }),
      },
    },
    routes: {
      authorization: '/oauth2/authorize',
      token: '/oauth2/token',
      userinfo: '/oauth2/userInfo',
      revocation: '/oauth2/revoke',
      jwks: '/.well-known/jwks.json',
    },
    interactions: { url: (_context, interaction) => `${SIGN_IN}${interaction.uid}` },
    loadExistingGrant: impliedConsent(provider, scope),
    issueRefreshToken: () => true,
    // Cognito's sign-out ends the session of its page, but no token.
    expiresWithSession: () => false,
    ttl: lifetimes(accessTokenSeconds, refreshTokenSeconds),
  };
}

function clientMetadata(client: UserPool['clients'][number]): ClientMetadata {
  return {
    client_id: client.id,
    redirect_uris: [...client.callbackUrls],
    post_logout_redirect_uris: [...client.logoutUrls],
    token_endpoint_auth_method: 'none',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    scope: client.scopes.join(' '),
  };
}

/** The claims of ID and access tokens. Who is in no group has no claim of groups, as in Cognito. */
function claimsOfTokens(pool: UserPool, accounts: Accounts): Configuration {
  const groupsOf = (name: string) =>
    name === DEVELOPER ? { 'cognito:groups': [...pool.groups] } : {};
  return {
    claims: {
      openid: ['sub', 'token_use', 'cognito:username', 'cognito:groups'],
      email: ['email', 'email_verified'],
    },
    conformIdTokenClaims: false,
    findAccount: (_context, id) => {
      const name = accounts.nameOf(id);
      if (name === undefined) return undefined;
      const about = { 'cognito:username': name, email: name, email_verified: true };
      const claims = { sub: id, token_use: 'id', ...about, ...groupsOf(name) };
      return { accountId: id, claims: () => claims };
    },
    extraTokenClaims: (_context, token) => {
      const name = 'accountId' in token ? accounts.nameOf(token.accountId) : undefined;
      return { token_use: 'access', username: name, ...(name && groupsOf(name)) };
    },
  };
}

/** Grants `scope` without a page of consent, which Cognito does not have. */
function impliedConsent(
  provider: () => Provider,
  scope: string,
): Configuration['loadExistingGrant'] {
  return async ({ oidc: { client, session, account } }) => {
    if (!client || !account) return undefined;
    const known = session?.grantIdFor(client.clientId);
    const found = known && (await provider().Grant.find(known));
    if (found) return found;
    const { clientId } = client;
    const grant = new (provider().Grant)({ clientId, accountId: account.accountId });
    grant.addOIDCScope(scope);
    grant.addResourceScope(API, scope);
    await grant.save();
    return grant;
  };
}

/** In seconds. */
function lifetimes(accessTokenSeconds: number, refreshTokenSeconds: number): Configuration['ttl'] {
  return {
    AccessToken: accessTokenSeconds,
    AuthorizationCode: 60,
    IdToken: accessTokenSeconds,
    Interaction: 3600,
    RefreshToken: refreshTokenSeconds,
    // That of Cognito's hosted page.
    Session: 3600,
    Grant: refreshTokenSeconds,
  };
}
