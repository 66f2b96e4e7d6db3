/** The page of a link: what it shows, and what it may do. */
import { createHash } from 'node:crypto';
import { type LinkView, linkPage, sizeText } from '../../../service/links/link-page';

const ORIGIN = 'https://content.example';
const FILE = { kind: 'file', name: 'cat.jpg', size: 5, secret: 'x' } as const;

function pageOf(view: LinkView, status = 200) {
  const { body, ...response } = linkPage(status, view, ORIGIN);
  const text = String(body);
  const part = (tag: string) => new RegExp(`<${tag}>([^]*?)</${tag}>`).exec(text)?.[1] ?? '';
  return { ...response, text, part, main: part('main').trim().split('\n') };
}

test('a page has its status, runs nothing, and is neither kept, found nor framed', () => {
  const { status, headers, part } = pageOf(FILE, 404);
  const style = createHash('sha256').update(part('style')).digest('base64');
  expect([status, headers]).toEqual([
    404,
    {
      'Cache-Control': 'no-store',
      'Referrer-Policy': 'no-referrer',
      'X-Content-Type-Options': 'nosniff',
      'X-Robots-Tag': 'noindex, nofollow, noarchive',
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${style}'; form-action 'self' ${ORIGIN}; base-uri 'none'; frame-ancestors 'none'`,
    },
  ]);
  expect(part('style')).toContain('font');
});

test('the page of a file shows its name, its size and its note, and leads to its bytes', () => {
  const download =
    '<a class="action" href="?secret=x&amp;download=" rel="nofollow noreferrer">Download</a>';
  const plain = pageOf(FILE);
  expect(plain.part('title')).toBe('A file for you');
  expect(plain.main).toEqual(['<h1>cat.jpg</h1>', '<p>5 bytes</p>', download]);
  const noted = pageOf({ ...FILE, note: 'for you' });
  expect(noted.main).toEqual(['<h1>cat.jpg</h1>', '<p>5 bytes</p>', '<p>for you</p>', download]);
});

test('every name is escaped', () => {
  const { main } = pageOf({ ...FILE, name: `<&>"'`, note: `'"<&&` });
  expect(main.slice(0, 3)).toEqual([
    '<h1>&lt;&amp;&gt;&quot;&#39;</h1>',
    '<p>5 bytes</p>',
    '<p>&#39;&quot;&lt;&amp;&amp;</p>',
  ]);
});

test('the page of a password asks for it, and says what was wrong with the last one', () => {
  const { main, part } = pageOf({ kind: 'password' });
  expect([part('title'), part('h1')]).toEqual(['Password needed', 'Password needed']);
  expect(main[2]).toBe('<form method="post">');
  expect(main.join()).toContain('name="password" type="password"');
  const again = pageOf({ kind: 'password', problem: 'a < b' });
  expect(again.main[2]).toBe('<p class="wrong" role="alert">a &lt; b</p>');
});

test('the page of a problem has its title and its text, and nothing to do', () => {
  const { main, part } = pageOf({ kind: 'problem', title: 'Gone', text: 'Ask & wait' });
  expect(part('title')).toBe('Gone');
  expect(main).toEqual(['<h1>Gone</h1>', '<p>Ask &amp; wait</p>']);
});

test.each([
  [1, '1 byte'],
  [999, '999 bytes'],
  [1000, '1.0 KB'],
  [999_999, '1000.0 KB'],
  [1_000_000, '1.0 MB'],
  [2_500_000_000, '2.5 GB'],
  [1_000_000_000_000, '1.0 TB'],
])('%d bytes are shown as %s', (bytes, text) => {
  expect(sizeText(bytes)).toBe(text);
});
