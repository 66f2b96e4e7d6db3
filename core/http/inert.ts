/**
 * Headers that prevent a browser from guessing the type of a response, and from running it as a
 * page of the service's origin.
 */
export const UNTRUSTED_CONTENT_HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "sandbox; default-src 'none'",
} as const;
