/**
 * What the dashboard's page may do in a browser, in one place: the function that serves it sends
 * this, in AWS and locally. https://www.w3.org/TR/CSP3/
 */

/**
 * Directive -> sources. No inline code, no inline styles, nothing of third parties, and nobody may
 * frame the page.
 */
export function contentSecurityPolicy(
  connectTo: readonly string[],
): Readonly<Record<string, readonly string[]>> {
  return {
    'default-src': ["'none'"],
    'script-src': ["'self'"],
    'style-src': ["'self'"],
    'img-src': ["'self'"],
    'font-src': ["'self'"],
    // The store for signed URLs, the channel, and whoever signs people in.
    'connect-src': ["'self'", ...connectTo],
    'base-uri': ["'none'"],
    'form-action': ["'none'"],
    'frame-ancestors': ["'none'"],
    // Text can become code in no way at all, whatever a library does.
    'require-trusted-types-for': ["'script'"],
    'trusted-types': ["'none'"],
  };
}

export function policyText(policy: Readonly<Record<string, readonly string[]>>): string {
  return Object.entries(policy)
    .map(([directive, sources]) => `${directive} ${sources.join(' ')}`)
    .join('; ');
}

/** Sent with each file of the page. */
export function securityHeaders(connectTo: readonly string[]): Readonly<Record<string, string>> {
  return {
    'Content-Security-Policy': policyText(contentSecurityPolicy(connectTo)),
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    'Referrer-Policy': 'no-referrer',
    // Signing in again happens in a window that this page opens.
    'Cross-Origin-Opener-Policy': 'same-origin-allow-popups',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
    'Strict-Transport-Security': 'max-age=31536000',
  };
}
