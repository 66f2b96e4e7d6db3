/** The sign-in page: one form, without scripts and without resources of other origins. */
import { createHash } from 'node:crypto';
import { DEVELOPER } from './accounts';

const STYLE = `
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
  body { margin: 0; min-height: 100vh; display: grid; place-items: center; }
  main { width: min(22rem, 100vw - 2rem); }
  h1 { font-size: 1.4rem; }
  label { display: block; margin-top: 1rem; }
  input { box-sizing: border-box; width: 100%; font: inherit; padding: .5rem; }
  button { margin-top: 1.5rem; width: 100%; font: inherit; padding: .6rem; cursor: pointer; }
  .notice, .wrong { border-left: .3rem solid; padding: .5rem .8rem; }
  .notice { border-color: #8d6605; }
  .wrong { border-color: #d91515; }
`;

export interface SignInPage {
  readonly title: string;
  /** Path of the form. */
  readonly action: string;
  /** Whether the last attempt was refused. */
  readonly hasFailed: boolean;
}

export function signInPage({ title, action, hasFailed }: SignInPage): string {
  const wrong = hasFailed
    ? '<p class="wrong" role="alert" id="wrong">The user name or the password is wrong. Try again.</p>'
    : '';
  const described = hasFailed ? ' aria-invalid="true" aria-describedby="wrong"' : '';
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sign in (development)</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${title}</h1>
<p class="notice">Development only: this page replaces the user pool in AWS. The command that
started it printed the password.</p>
${wrong}
<form method="post" action="${action}">
<label for="username">User name</label>
<input id="username" name="username" autocomplete="username" autocapitalize="none" spellcheck="false" required value="${DEVELOPER}"${described}>
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required autofocus${described}>
<button type="submit">Sign in</button>
</form>
</main>
</body>
</html>
`;
}

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/**
 * Browsers apply form-action to the redirects after the form too, so it names the origin of the
 * client's page.
 */
export function pageHeaders(redirectUri: string | undefined): Readonly<Record<string, string>> {
  const back = redirectUri !== undefined && URL.canParse(redirectUri) ? new URL(redirectUri) : null;
  const policy = [
    "default-src 'none'",
    `style-src 'sha256-${STYLE_HASH}'`,
    `form-action 'self'${back ? ` ${back.origin}` : ''}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ];
  return {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': policy.join('; '),
    'Cache-Control': 'no-store',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
  };
}
