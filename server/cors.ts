/** Which web pages may use the service: https://fetch.spec.whatwg.org/#http-cors-protocol */

const METHODS = 'GET, HEAD, PUT, POST, PATCH, DELETE';

/** Seconds that a browser may keep the answer to a preflight: the maximum of Chromium. */
const PREFLIGHT_SECONDS = 7200;

const LOOPBACK = /^https?:\/\/(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?$/;

/** A response is for the caller of its key, and the page that it uses. */
const VARY = { Vary: 'Authorization, Origin' };

export interface Cors {
  readonly allows: (origin: string | undefined) => boolean;
  /** Returns the headers of a response to a page. */
  readonly headersFor: (origin: string | undefined) => Readonly<Record<string, string>>;
  /** Returns those of the answer to a preflight. */
  readonly preflightFor: (origin: string | undefined) => Readonly<Record<string, string>>;
}

/** `origins`: pages beside those of this machine; `*` = any. */
export function corsOf(origins: readonly string[]): Cors {
  const isAny = origins.includes('*');
  const allows = (origin: string | undefined) =>
    origin === undefined || isAny || LOOPBACK.test(origin) || origins.includes(origin);
  const headersFor = (origin: string | undefined): Readonly<Record<string, string>> => {
    if (origin === undefined || !allows(origin)) return VARY;
    return {
      ...VARY,
      'Access-Control-Allow-Origin': isAny ? '*' : origin,
      'Access-Control-Expose-Headers': '*',
    };
  };
  return {
    allows,
    headersFor,
    preflightFor: (origin) => ({
      ...headersFor(origin),
      Vary: 'Origin',
      'Access-Control-Allow-Methods': METHODS,
      'Access-Control-Allow-Headers': 'Authorization, *',
      'Access-Control-Max-Age': String(PREFLIGHT_SECONDS),
    }),
  };
}
