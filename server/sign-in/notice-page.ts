/** The pages of the sign-in that people see: they say how to get a link. */
import { createHash } from 'node:crypto';
import type { HttpResponse } from '../../service/http/response';

const STYLE = `
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
  body { max-width: 34rem; margin: 15vh auto 0; padding: 0 1rem; }
  code { font-size: 0.95em; }
`;

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/** 401: there is no session. 403: the link is used or has expired. 400: another page sent this. */
const NOTICES = {
  400: ['This sign-in is not valid', 'Open the dashboard again from its own address.'],
  401: [
    'Sign in by a link',
    'The server prints a link when it starts. For another one, run this command on its machine:',
  ],
  403: [
    'This link does not work any more',
    'A link signs one browser in, within ten minutes. For another one, run this command on the machine of the server:',
  ],
} as const;

export function noticePage(status: keyof typeof NOTICES): HttpResponse {
  const [title, text] = NOTICES[status];
  const command = status === 400 ? '' : '<p><code>stowage sign-in --link</code></p>';
  return {
    status,
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'no-store',
      'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'`,
    },
    body: `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${STYLE}</style>
<h1>${title}</h1>
<p>${text}</p>
${command}
</html>
`,
  };
}
