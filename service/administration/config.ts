/** The public settings that the dashboard needs before a person signs in. */

import { ACTIONS } from '../../core/access/permissions';
import type { RateTiers } from '../../core/limits';
import { KEY_LIMITS } from '../../core/limits';
import { BASE_PATH } from '../routes/routes';

/** The issuer of the access tokens, and the client under which the dashboard signs in. */
export interface SignInSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly audience?: string;
}

export interface PageSettings {
  /** Scopes to request, separated by spaces. */
  readonly scopes: string;
  readonly signOutUrl?: string;
  readonly syncUrl: string;
  readonly tiers: RateTiers;
  readonly version: string;
}

/** The response to GET of `config`. It is public, so it holds nothing that grants access. */
export function adminConfig(
  { issuer, clientId, audience }: SignInSettings,
  page: PageSettings,
): Readonly<Record<string, unknown>> {
  return {
    issuer,
    client_id: clientId,
    scopes: page.scopes.split(' '),
    authorize_parameters: { audience },
    sign_out_url: page.signOutUrl,
    api_base: BASE_PATH,
    sync_url: page.syncUrl,
    actions: ACTIONS,
    tiers: Object.keys(page.tiers),
    rate_tiers: page.tiers,
    session_seconds: KEY_LIMITS.sessionSeconds,
    version: page.version,
  };
}
