import type { OidcIssuer } from '../lib';

type Settings = Readonly<Record<string, unknown>>;

const KNOWN = [
  'issuer',
  'clientId',
  'jwksUri',
  'audience',
  'scopes',
  'claim',
  'value',
  'signOutUrl',
  'origins',
];

/** The setting `oidc` of an environment. Throws an Error that names what is wrong with it. */
export function parseIssuer(settings: Settings | undefined): OidcIssuer | undefined {
  if (settings === undefined) return undefined;
  const unknown = Object.keys(settings).find((name) => !KNOWN.includes(name));
  if (unknown !== undefined) {
    throw new Error(`oidc has no setting ${unknown}: known are ${KNOWN.join(', ')}`);
  }
  return {
    issuer: required(settings, 'issuer'),
    clientId: required(settings, 'clientId'),
    claim: required(settings, 'claim'),
    value: required(settings, 'value'),
    jwksUri: text(settings, 'jwksUri'),
    audience: text(settings, 'audience'),
    signOutUrl: text(settings, 'signOutUrl'),
    scopes: texts(settings, 'scopes'),
    origins: texts(settings, 'origins'),
  };
}

function required(settings: Settings, name: string): string {
  const value = text(settings, name);
  if (value === undefined) throw new Error(`oidc.${name} is missing`);
  return value;
}

function text(settings: Settings, name: string): string | undefined {
  const value = settings[name];
  if (value === undefined || typeof value === 'string') return value;
  throw new Error(`oidc.${name} must be a text, got ${JSON.stringify(value)}`);
}

function texts(settings: Settings, name: string): readonly string[] | undefined {
  const value = settings[name];
  if (value === undefined) return undefined;
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value;
  throw new Error(`oidc.${name} must be a list of texts, got ${JSON.stringify(value)}`);
}
