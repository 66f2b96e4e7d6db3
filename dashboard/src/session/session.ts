/**
 * The session of the signed-in user: OIDC's authorization code flow with PKCE, tokens in this tab
 * only, and the key for the storage interface.
 */
import { ErrorResponse, type User, UserManager, WebStorageStateStore } from 'oidc-client-ts';
import type { StowageClient } from '../../../client/client';
import { AdminApi } from '../api/admin';
import { bearer, type Schemas, serviceClient } from '../api/client';
import { sessionClient } from '../api/session-client';
import { SessionKey } from '../api/session-key';
import { StorageApi } from '../api/storage';

type ServiceConfig = Schemas['Configuration'];

export type SessionState =
  | { readonly phase: 'starting' }
  | { readonly phase: 'failed'; readonly error: unknown }
  | { readonly phase: 'signed-out'; readonly config: ServiceConfig; readonly error?: unknown }
  /** Shows no page: its requests would be refused. */
  | { readonly phase: 'signing-out'; readonly config: ServiceConfig }
  | {
      readonly phase: 'signed-in';
      readonly config: ServiceConfig;
      readonly name: string;
      /** The sign-in has expired: what is typed stays, and one click signs in again. */
      readonly isExpired: boolean;
      /** Increases with each new sign-in. */
      readonly epoch: number;
    };

/** Item of sessionStorage that is set by signing out: the next sign-in then waits for a click. */
const SIGNED_OUT = 'stowage.signed-out';

/** Time between the warning and the expiry of the sign-in, in which the user can renew it. */
const WARN_BEFORE_MS = 60_000;

export class Session {
  readonly admin: AdminApi;
  readonly storage: StorageApi;
  /** The published client, with the key of this session. */
  readonly client: StowageClient;
  readonly #root: string;
  readonly #key: SessionKey;
  readonly #listeners = new Set<() => void>();
  readonly #signOutTasks: (() => Promise<void>)[] = [];
  #state: SessionState = { phase: 'starting' };
  #manager: UserManager | undefined;
  #token: string | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(root: string) {
    this.#root = root;
    this.admin = new AdminApi(this.#adminClient());
    this.#key = new SessionKey({ open: () => this.admin.openSession(), now: Date.now });
    this.storage = new StorageApi(root, this.#key);
    this.client = sessionClient(root, this.#key);
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly state = (): SessionState => this.#state;

  /** Reads the configuration, and finishes a sign-in that has just returned. Never throws. */
  async start(): Promise<void> {
    this.#set({ phase: 'starting' });
    try {
      const config = await this.admin.config();
      this.#manager = managerOf(config, this.#root);
      await this.#resume(config, this.#manager);
    } catch (error) {
      this.#set({ phase: 'failed', error });
    }
  }

  /** Leaves the page for that of the issuer, which returns here. */
  async signIn(): Promise<void> {
    const config = this.#config();
    if (config) await this.#redirect(config);
  }

  /** Signs in in a new window, so that nothing on this page is lost. Must be called by a click. */
  async signInAgain(): Promise<void> {
    const config = this.#config();
    if (!config || !this.#manager) return;
    const user = await this.#manager.signinPopup({
      popupWindowFeatures: { width: 520, height: 720 },
      // Closed without having signed in: the button can be pressed again.
      popupAbortOnClose: true,
    });
    this.#accept(config, user);
  }

  /** Adds a task that signing out waits for before it revokes the key of the session. */
  beforeSignOut(task: () => Promise<void>): void {
    this.#signOutTasks.push(task);
  }

  /**
   * Revokes the keys of this page and of earlier ones, revokes and drops the tokens, and signs out
   * at the issuer too.
   */
  async signOut(): Promise<void> {
    const config = this.#config();
    clearTimeout(this.#timer);
    sessionStorage.setItem(SIGNED_OUT, 'yes');
    if (config) this.#set({ phase: 'signing-out', config });
    for (const task of this.#signOutTasks) await task();
    await this.#key.end();
    // If it fails, the keys expire within the hour.
    await this.admin.endSessions().catch(() => undefined);
    this.#token = undefined;
    // Signing out at the issuer does not end the refresh token. Not every issuer can revoke one;
    // this page drops it in any case.
    await this.#manager?.revokeTokens(['refresh_token']).catch(() => undefined);
    await this.#manager?.removeUser();
    if (config?.sign_out_url !== undefined) {
      window.location.assign(config.sign_out_url + encodeURIComponent(this.#root));
    } else {
      await this.#manager?.signoutRedirect();
    }
  }

  async #resume(config: ServiceConfig, manager: UserManager): Promise<void> {
    const returned = new URLSearchParams(window.location.search);
    if (returned.has('state') && (returned.has('code') || returned.has('error'))) {
      try {
        const user = await manager.signinRedirectCallback();
        clearAddress(hashOf(user.state));
        this.#accept(config, user);
      } catch (error) {
        clearAddress('');
        this.#set({ phase: 'signed-out', config, error: inWords(error) });
      }
      return;
    }
    const user = await manager.getUser();
    if (user && !user.expired) this.#accept(config, user);
    // The page offers nothing else to do, so it goes to the issuer without a click.
    else if (sessionStorage.getItem(SIGNED_OUT) === null) await this.#redirect(config);
    else this.#set({ phase: 'signed-out', config });
  }

  async #redirect(config: ServiceConfig): Promise<void> {
    try {
      await this.#manager?.signinRedirect({ state: { hash: window.location.hash } });
    } catch (error) {
      this.#set({ phase: 'signed-out', config, error });
    }
  }

  #accept(config: ServiceConfig, user: User): void {
    const previous = this.#state.phase === 'signed-in' ? this.#state.epoch : 0;
    this.#token = user.access_token;
    sessionStorage.removeItem(SIGNED_OUT);
    clearTimeout(this.#timer);
    const remaining = (user.expires_in ?? 3600) * 1000;
    this.#timer = setTimeout(() => void this.#renew(config, user), remaining - WARN_BEFORE_MS);
    const { profile } = user;
    const name = profile.email ?? profile.preferred_username ?? profile.name ?? profile.sub;
    this.#set({ phase: 'signed-in', config, name, isExpired: false, epoch: previous + 1 });
  }

  /**
   * Renews the tokens if the issuer gave a refresh token. Otherwise the user has to sign in again.
   */
  async #renew(config: ServiceConfig, { refresh_token }: User): Promise<void> {
    try {
      const user = refresh_token === undefined ? null : await this.#manager?.signinSilent();
      if (user) this.#accept(config, user);
      else this.#expire();
    } catch {
      this.#expire();
    }
  }

  readonly #expire = (): void => {
    if (this.#state.phase === 'signed-in') this.#set({ ...this.#state, isExpired: true });
  };

  #adminClient() {
    const client = serviceClient(this.#root);
    client.use({
      onRequest: ({ request }) => {
        if (this.#token !== undefined) {
          request.headers.set('authorization', bearer(this.#token).authorization);
        }
      },
      onResponse: ({ response }) => {
        if (response.status === 401) this.#expire();
      },
    });
    return client;
  }

  #config(): ServiceConfig | undefined {
    return 'config' in this.#state ? this.#state.config : undefined;
  }

  #set(state: SessionState): void {
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}

function managerOf(config: ServiceConfig, root: string): UserManager {
  return new UserManager({
    authority: config.issuer,
    client_id: config.client_id,
    redirect_uri: root,
    popup_redirect_uri: root,
    post_logout_redirect_uri: root,
    scope: config.scopes.join(' '),
    extraQueryParams: { ...config.authorize_parameters },
    // sessionStorage: of this tab only, and removed with it.
    userStore: new WebStorageStateStore({ store: sessionStorage }),
    stateStore: new WebStorageStateStore({ store: sessionStorage }),
    automaticSilentRenew: false,
    monitorSession: false,
  });
}

/** Issuers may return a code without a description. */
function inWords(error: unknown): unknown {
  if (!(error instanceof ErrorResponse) || error.error_description) return error;
  return new Error(`The issuer returned “${error.error}”.`, { cause: error });
}

/** Removes the code from the address and the history. */
function clearAddress(hash: string): void {
  window.history.replaceState(null, '', `${window.location.pathname}${hash}`);
  window.dispatchEvent(new HashChangeEvent('hashchange'));
}

function hashOf(state: unknown): string {
  const hash = (state as { readonly hash?: unknown } | undefined)?.hash;
  return typeof hash === 'string' && hash.startsWith('#/') ? hash : '';
}
