import type { OidcIssuer } from '../lib';
import type { Reader } from './reader';

/** The setting `oidc` of an environment. */
export function readIssuer(settings: Reader): OidcIssuer {
  return {
    issuer: settings.required('issuer'),
    clientId: settings.required('clientId'),
    claim: settings.required('claim'),
    value: settings.required('value'),
    jwksUri: settings.text('jwksUri'),
    audience: settings.text('audience'),
    signOutUrl: settings.text('signOutUrl'),
    scopes: settings.texts('scopes'),
    origins: settings.texts('origins'),
  };
}
