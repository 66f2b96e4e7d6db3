/**
 * Signs administrators in without another program: a link from the terminal starts a session of the
 * browser, and the dashboard gets its tokens by the authorization code flow with PKCE
 * (OpenID Connect Core 1.0 §3.1, RFC 7636).
 */
import { createHash, randomBytes } from 'node:crypto';
import type { Administrator, Verify } from '../../core/access/administrators';
import { bearerToken } from '../../core/access/authentication';
import { ServiceError } from '../../core/errors';
import type { Clock } from '../../core/system';
import { headersOf, type IncomingRequest } from '../../service/http/request';
import { errorResponse, type HttpResponse, jsonResponse } from '../../service/http/response';
import { noticePage } from './notice-page';
import { type Claims, TokenSealer } from './sealed-tokens';

/** Seconds for which a link and tokens are valid, by use. */
const SECONDS = { link: 600, session: 86_400, code: 60, access: 3600 } as const;

const CLIENT_ID = 'dashboard';
const COOKIE = 'stowage-session';

export const SIGN_IN_PATHS = {
  discovery: '/.well-known/openid-configuration',
  link: '/sign-in',
  links: '/sign-in/links',
  authorize: '/sign-in/authorize',
  token: '/sign-in/token',
  signOut: '/sign-in/sign-out',
} as const;

interface Settings {
  /** Where browsers reach the server: `http://127.0.0.1:7070`. */
  readonly url: string;
  /** Shared with the command `stowage sign-in`, which makes access tokens with it. */
  readonly secret: string;
  readonly clock: Pick<Clock, 'now'>;
}

/** Returns an access token for the administration, valid for an hour. */
export function accessToken({ secret, clock }: Omit<Settings, 'url'>, name: string): string {
  return new TokenSealer(secret, clock).seal('access', { name }, SECONDS.access);
}

export class LocalIssuer {
  private readonly tokens: TokenSealer;
  /** Ids of tokens that must not be used again -> epoch seconds of their expiry. */
  private readonly used = new Map<string, number>();
  /** Unopened links: the code -> whose it is, and its end in epoch milliseconds. */
  private readonly links = new Map<string, { readonly name: string; readonly until: number }>();

  constructor(private readonly settings: Settings) {
    this.tokens = new TokenSealer(settings.secret, settings.clock);
  }

  /** Returns a link that signs its first visitor in, within ten minutes. */
  link(name: string): string {
    const now = this.settings.clock.now();
    for (const [code, { until }] of this.links) if (until <= now) this.links.delete(code);
    const code = randomBytes(18).toString('base64url');
    this.links.set(code, { name, until: now + SECONDS.link * 1000 });
    return `${this.settings.url}${SIGN_IN_PATHS.link}?code=${code}`;
  }

  /** What the dashboard needs to sign in: service/administration/config.ts. */
  get page() {
    const { url } = this.settings;
    return {
      signIn: { issuer: url, clientId: CLIENT_ID },
      scopes: 'openid',
      signOutUrl: `${url}${SIGN_IN_PATHS.signOut}?return_to=`,
    };
  }

  readonly verify: Verify = async (token) => {
    const claims = this.tokens.open('access', token);
    if (claims && !this.used.has(String(claims.session))) return administratorOf(claims);
    throw new ServiceError('unauthorized', {
      message: "sign in, or send an access token of 'stowage sign-in' as Bearer",
    });
  };

  /** Answers a request of the sign-in, or returns undefined for every other path. */
  answer(request: IncomingRequest): Promise<HttpResponse> | HttpResponse | undefined {
    const { discovery, link, links, authorize, token, signOut } = SIGN_IN_PATHS;
    // A name that an attacker's DNS leads here gets no session (DNS rebinding).
    const isOwn = headersOf(request).get('host') === new URL(this.settings.url).host;
    if (!isOwn && request.path.startsWith(link)) return noticePage(400);
    // HEAD and OPTIONS must not use a link up.
    const method = request.path === links || request.path === token ? 'POST' : 'GET';
    if (request.path.startsWith(link) && request.method !== method) {
      const refused = new ServiceError('method_not_allowed', { headers: { Allow: method } });
      return errorResponse(refused, request.requestId);
    }
    switch (request.path) {
      case discovery:
        return this.discovery();
      case link:
        return this.startSession(request);
      case links:
        return this.makeLink(request);
      case authorize:
        return this.authorize(request);
      case token:
        return this.exchange(request);
      case signOut:
        return this.endSession(request);
      default:
        return undefined;
    }
  }

  private discovery(): HttpResponse {
    const { url } = this.settings;
    return jsonResponse(200, {
      issuer: url,
      authorization_endpoint: `${url}${SIGN_IN_PATHS.authorize}`,
      token_endpoint: `${url}${SIGN_IN_PATHS.token}`,
      response_types_supported: ['code'],
      grant_types_supported: ['authorization_code'],
      code_challenge_methods_supported: ['S256'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['HS256'],
    });
  }

  private startSession(request: IncomingRequest): HttpResponse {
    const home = `${this.settings.url}/`;
    // A browser that loads pages ahead may have used the link for its user.
    if (this.sessionOf(request)) return redirect(home);
    const code = parameter(request, 'code') ?? '';
    const link = this.links.get(code);
    this.links.delete(code);
    if (!link || link.until <= this.settings.clock.now()) return noticePage(403);
    const session = this.tokens.seal('session', { name: link.name }, SECONDS.session);
    return redirect(home, this.cookie(session, SECONDS.session));
  }

  /** Answers `stowage sign-in --link`. */
  private async makeLink(request: IncomingRequest): Promise<HttpResponse> {
    const authorization = headersOf(request).get('authorization') ?? '';
    const { name } = await this.verify(bearerToken(authorization));
    return jsonResponse(201, { link: this.link(name) });
  }

  private authorize(request: IncomingRequest): HttpResponse {
    const asked = (name: string) => parameter(request, name) ?? '';
    // Anything else may be an attempt to get a code to another page: nothing is sent there.
    if (asked('client_id') !== CLIENT_ID || asked('redirect_uri') !== `${this.settings.url}/`) {
      return noticePage(400);
    }
    const session = this.sessionOf(request);
    if (!session) return noticePage(401);
    const back = new URL(asked('redirect_uri'));
    back.searchParams.set('state', asked('state'));
    if (asked('response_type') !== 'code' || asked('code_challenge_method') !== 'S256') {
      back.searchParams.set('error', 'invalid_request');
      return redirect(back.href);
    }
    const claims = {
      ...{ name: session.name, nonce: asked('nonce'), challenge: asked('code_challenge') },
      session: session.jti,
    };
    back.searchParams.set('code', this.tokens.seal('code', claims, SECONDS.code));
    return redirect(back.href);
  }

  private exchange({ method, body }: IncomingRequest): HttpResponse {
    const form = new URLSearchParams(Buffer.from(body).toString());
    const verifier = form.get('code_verifier') ?? '';
    const challenge = createHash('sha256').update(verifier).digest('base64url');
    const code = method === 'POST' ? this.tokens.open('code', form.get('code') ?? '') : undefined;
    // RFC 6749 §5.2. A wrong verifier does not use up the code of its owner.
    if (
      form.get('grant_type') !== 'authorization_code' ||
      form.get('redirect_uri') !== `${this.settings.url}/` ||
      code?.challenge !== challenge ||
      !this.once('code', form.get('code') ?? '')
    ) {
      return jsonResponse(400, { error: 'invalid_grant' });
    }
    const { name, nonce, session } = code;
    const about = { iss: this.settings.url, aud: CLIENT_ID, sub: String(name), nonce };
    return jsonResponse(200, {
      access_token: this.tokens.seal('access', { name, session }, SECONDS.access),
      id_token: this.tokens.seal('id', { ...about, name }, SECONDS.access),
      token_type: 'Bearer',
      expires_in: SECONDS.access,
      scope: 'openid',
    });
  }

  private endSession(request: IncomingRequest): HttpResponse {
    const home = `${this.settings.url}/`;
    if (parameter(request, 'return_to') !== home) return noticePage(400);
    this.once('session', cookieOf(request));
    return redirect(home, this.cookie('', 0));
  }

  private sessionOf(request: IncomingRequest): Claims | undefined {
    const session = this.tokens.open('session', cookieOf(request));
    return session && !this.used.has(String(session.jti)) ? session : undefined;
  }

  /** Returns the claims of a token at its first use, and undefined later. */
  private once(use: 'code' | 'session', token: string | undefined): Claims | undefined {
    const claims = this.tokens.open(use, token);
    const id = String(claims?.jti);
    if (!claims || this.used.has(id)) return undefined;
    const now = this.settings.clock.now() / 1000;
    for (const [known, expiresAt] of this.used) if (expiresAt < now) this.used.delete(known);
    this.used.set(id, Number(claims.exp));
    return claims;
  }

  private cookie(value: string, seconds: number): Readonly<Record<string, string>> {
    const secure = this.settings.url.startsWith('https:') ? '; Secure' : '';
    const attributes = `Path=/sign-in; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`;
    return { 'Set-Cookie': `${COOKIE}=${value}; ${attributes}` };
  }
}

function administratorOf({ name, exp }: Claims): Administrator {
  return { id: String(name), name: String(name), until: Number(exp) * 1000 };
}

function parameter({ query }: IncomingRequest, name: string): string | undefined {
  return query[name]?.[0];
}

function cookieOf(request: IncomingRequest): string | undefined {
  const cookies = headersOf(request).get('cookie')?.split(';') ?? [];
  const found = cookies.map((each) => each.trim()).find((each) => each.startsWith(`${COOKIE}=`));
  return found?.slice(COOKIE.length + 1);
}

function redirect(location: string, more: Readonly<Record<string, string>> = {}): HttpResponse {
  return { status: 303, headers: { Location: location, 'Cache-Control': 'no-store', ...more } };
}
