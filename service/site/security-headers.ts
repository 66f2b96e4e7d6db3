/**
 * The security headers of the dashboard's page, in AWS and in the emulator.
 * https://www.w3.org/TR/CSP3/
 */

/** Origins besides that of the page. */
export interface OtherOrigins {
  /** Which the page calls: S3 for signed URLs, the WebSocket API, and the issuer. */
  readonly connectTo: readonly string[];
  /** Whose content the page shows: S3. */
  readonly show: readonly string[];
}

/**
 * Sources by directive. The policy allows no inline scripts or styles, nothing of third parties,
 * and no framing of the page. Stored content is shown from the origin of the store only, where a
 * script of it reaches nothing of the page.
 */
export function contentSecurityPolicy({
  connectTo,
  show,
}: OtherOrigins): Readonly<Record<string, readonly string[]>> {
  return {
    'default-src': ["'none'"],
    'script-src': ["'self'"],
    'style-src': ["'self'"],
    'img-src': ["'self'", ...show],
    'media-src': show,
    'frame-src': show,
    'font-src': ["'self'"],
    'connect-src': ["'self'", ...connectTo],
    'base-uri': ["'none'"],
    'form-action': ["'none'"],
    'frame-ancestors': ["'none'"],
    // Forbids turning strings into code, also in libraries.
    'require-trusted-types-for': ["'script'"],
    'trusted-types': ["'none'"],
  };
}

export function policyText(policy: Readonly<Record<string, readonly string[]>>): string {
  return Object.entries(policy)
    .map(([directive, sources]) => `${directive} ${sources.join(' ')}`)
    .join('; ');
}

/** Headers of every file of the page. */
export function securityHeaders(origins: OtherOrigins): Readonly<Record<string, string>> {
  return {
    'Content-Security-Policy': policyText(contentSecurityPolicy(origins)),
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    'Referrer-Policy': 'no-referrer',
    // The page opens a window to sign in again.
    'Cross-Origin-Opener-Policy': 'same-origin-allow-popups',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
    'Strict-Transport-Security': 'max-age=31536000',
  };
}
