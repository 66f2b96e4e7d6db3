/**
 * The page that a person sees who opens a link. It is one file without scripts, and the names in it
 * are anybody's, so each is escaped.
 */
import { createHash } from 'node:crypto';
import { shownText } from '../../core/hidden';
import type { HttpResponse } from '../http/response';
import { LINK_SECRET } from '../routes/routes';

/** Content of the page. */
export type LinkView =
  | {
      readonly kind: 'file';
      readonly name: string;
      readonly size: number;
      readonly note?: string;
      readonly secret: string;
    }
  | { readonly kind: 'password'; readonly problem?: string }
  | { readonly kind: 'problem'; readonly title: string; readonly text: string };

const STYLE = `
:root { color-scheme: light dark; --text: #16191f; --quiet: #545b64; --page: #f2f3f3; --card: #fff; --line: #d5dbdb; --action: #0550ae; --on-action: #fff; --wrong: #b3160b; }
@media (prefers-color-scheme: dark) { :root { --text: #e9ebed; --quiet: #b5bac4; --page: #0f141a; --card: #192534; --line: #414d5c; --action: #89bdee; --on-action: #0f141a; --wrong: #ff8a80; } }
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1rem; background: var(--page); color: var(--text); font: 1rem/1.5 system-ui, sans-serif; }
main { width: 100%; max-width: 28rem; padding: 2rem 1.5rem; background: var(--card); border: 1px solid var(--line); border-radius: 1rem; }
h1 { margin: 0 0 .25rem; font-size: 1.25rem; overflow-wrap: anywhere; }
p { margin: 0 0 1rem; color: var(--quiet); overflow-wrap: anywhere; }
p.wrong { color: var(--wrong); }
label { display: block; margin-bottom: .25rem; }
input { width: 100%; margin-bottom: 1rem; padding: .625rem .75rem; border: 1px solid var(--quiet); border-radius: .5rem; background: var(--card); color: inherit; font: inherit; }
.action { display: block; width: 100%; padding: .75rem 1rem; border: 0; border-radius: 2rem; background: var(--action); color: var(--on-action); font: inherit; font-weight: 600; text-align: center; text-decoration: none; cursor: pointer; }
:focus-visible { outline: 2px solid var(--action); outline-offset: 2px; }
`;

/** Headers of every response to a link, whatever it is. */
export const LINK_HEADERS = {
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Robots-Tag': 'noindex, nofollow, noarchive',
} as const;

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/**
 * `contentOrigin`: where the form ends. A browser applies form-action to redirects, too.
 */
export function linkPage(status: number, view: LinkView, contentOrigin: string): HttpResponse {
  const policy = [
    "default-src 'none'",
    `style-src 'sha256-${STYLE_HASH}'`,
    `form-action 'self' ${contentOrigin}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ];
  return {
    status,
    headers: {
      ...LINK_HEADERS,
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': policy.join('; '),
    },
    body: documentOf(view),
  };
}

function documentOf(view: LinkView): string {
  const title = { file: 'A file for you', password: 'Password needed', problem: '' }[view.kind];
  const shown =
    view.kind === 'file' ? shownText(view.name) : title || ('title' in view ? view.title : '');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow, noarchive">
<meta name="referrer" content="no-referrer">
<title>${escaped(title || shown)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1><bdi>${escaped(shown)}</bdi></h1>
${contentOf(view)}
</main>
</body>
</html>
`;
}

function contentOf(view: LinkView): string {
  if (view.kind === 'problem') return `<p>${escaped(view.text)}</p>`;
  if (view.kind === 'file') {
    const note =
      view.note === undefined ? '' : `<p><bdi>${escaped(shownText(view.note))}</bdi></p>\n`;
    const query = new URLSearchParams({ [LINK_SECRET]: view.secret, download: '' });
    return `<p>${sizeText(view.size)}</p>
${note}<a class="action" href="?${escaped(query.toString())}" rel="nofollow noreferrer">Download</a>`;
  }
  const problem =
    view.problem === undefined
      ? ''
      : `<p class="wrong" role="alert">${escaped(view.problem)}</p>\n`;
  return `<p>The sender of this link has set a password.</p>
${problem}<form method="post">
<label for="password">Password</label>
<input id="password" name="password" type="password" required maxlength="256" autocomplete="off" autofocus>
<button class="action" type="submit">Download</button>
</form>`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}

const UNITS = ['KB', 'MB', 'GB', 'TB'];

/** `48.2 KB`: in powers of ten, as file managers show it. */
export function sizeText(bytes: number): string {
  if (bytes < 1000) return bytes === 1 ? '1 byte' : `${bytes} bytes`;
  const power = Math.min(Math.floor(Math.log10(bytes) / 3), UNITS.length);
  return `${(bytes / 1000 ** power).toFixed(1)} ${UNITS[power - 1]}`;
}
