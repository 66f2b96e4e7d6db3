/** Stored content is shown, and never as a page or script of the dashboard. */
import { deflateSync } from 'node:zlib';
import { describeInBrowser, textOn, untilLoaded, useDashboard, visit } from './browser';
import { check, WIDTHS } from './check';

jest.setTimeout(300_000);

/** A script that must not run: it would open a dialog, or change the page around it. */
const SCRIPT = "alert('ran'); top.document.title = 'ran'";

const SVG = `<svg xmlns="http://www.w3.org/2000/svg" width="90" height="60" onload="${SCRIPT}">
<script>${SCRIPT}</script><rect width="90" height="60" fill="teal"/></svg>`;

const HTML = `<h1>a heading</h1><script>${SCRIPT}</script>`;

function chunk(type: string, data: Buffer): Buffer {
  const bytes = Buffer.concat([Buffer.from(type), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const sum = Buffer.alloc(4);
  let crc = ~0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  sum.writeUInt32BE(~crc >>> 0);
  return Buffer.concat([length, bytes, sum]);
}

/** A picture of 40 by 30 pixels in one colour (https://www.w3.org/TR/png-3/). */
function png(): Buffer {
  const header = Buffer.from([0, 0, 0, 40, 0, 0, 0, 30, 8, 2, 0, 0, 0]);
  const row = Buffer.concat([Buffer.from([0]), Buffer.alloc(40 * 3, 0x99)]);
  const rows = Buffer.concat(Array.from({ length: 30 }, () => row));
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
  const parts = [
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ];
  return Buffer.concat([signature, ...parts]);
}

/** A second of silence: RIFF/WAVE, 8 kHz, 8 bits. */
function wav(): Buffer {
  const header = Buffer.alloc(44);
  header.write('RIFF', 0);
  header.writeUInt32LE(36 + 8000, 4);
  header.write('WAVEfmt ', 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(8000, 24);
  header.writeUInt32LE(8000, 28);
  header.writeUInt16LE(1, 32);
  header.writeUInt16LE(8, 34);
  header.write('data', 36);
  header.writeUInt32LE(8000, 40);
  return Buffer.concat([header, Buffer.alloc(8000, 128)]);
}

const PDF = `%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 100]>>endobj
trailer<</Root 1 0 R>>
`;

describeInBrowser('previews', (browser) => {
  const dashboard = useDashboard(browser);

  const put = (key: string, type: string, body: string | Uint8Array) =>
    dashboard.request('PUT', `/objects/media/${key}`, { body, headers: { 'content-type': type } });

  const open = async (key: string, width = 1280) => {
    const opened = await dashboard.open(`buckets/media/object?key=${key}`, { width });
    await opened.page.getByRole('heading', { name: key }).waitFor();
    return opened;
  };

  beforeAll(async () => {
    await dashboard.request('POST', '/buckets', { body: '{"name":"media"}' });
    await put('cat.png', 'image/png', png());
    await put('drawing.svg', 'image/svg+xml', SVG);
    await put('sound.wav', 'audio/wav', wav());
    await put('paper.pdf', 'application/pdf', PDF);
    await put('page.html', 'text/html', HTML);
    await put('long.txt', 'text/plain; charset=iso-8859-1', Buffer.alloc(70_000, 0xe4));
    await put('wide.txt', 'text/plain; charset=utf-8', Buffer.from('\ufeffnaïve 日本', 'utf16le'));
  });

  test('a picture is shown from the store, and a script in it does not run', async () => {
    for (const key of ['cat.png', 'drawing.svg']) {
      const { page, pageErrors } = await open(key);
      const picture = page.getByRole('img', { name: key, exact: true });
      await picture.waitFor();
      await picture.evaluate((image: HTMLImageElement) => image.decode());
      expect(await page.title()).toContain(key);
      // A browser that opens it as a page runs nothing of it either.
      const source = (await picture.getAttribute('src')) ?? '';
      const policy = (await fetch(source)).headers.get('content-security-policy');
      expect(policy).toMatch(/^sandbox;/);
      expect(pageErrors).toEqual([]);
    }
  });

  test('a text and a page are shown as text, at most 64 KiB of it', async () => {
    const stored = await open('page.html');
    await textOn(stored.page, HTML).waitFor();
    expect(await stored.page.getByRole('heading', { name: 'a heading' }).count()).toBe(0);
    expect(stored.pageErrors).toEqual([]);
    const { page } = await open('long.txt');
    await textOn(page, 'The first 64.0 KiB of 68.4 KiB.').waitFor();
    const shown = await page
      .getByRole('region', { name: 'Content of long.txt', exact: true })
      .textContent();
    expect(shown).toBe('ä'.repeat(64 * 1024));
  });

  test('a byte order mark decides on the encoding of a text, whatever its type says', async () => {
    const { page } = await open('wide.txt');
    await textOn(page, 'naïve 日本', { exact: true }).waitFor();
  });

  test('a sound can be played', async () => {
    const { page, pageErrors } = await open('sound.wav');
    const sound = page.locator('audio');
    await sound.waitFor();
    await page.waitForFunction(() => document.querySelector('audio')?.duration === 1);
    expect(pageErrors).toEqual([]);
  });

  test('a PDF is shown in a frame of the store', async () => {
    const { page, pageErrors } = await open('paper.pdf');
    const frame = page.locator('iframe');
    await frame.waitFor();
    const source = await fetch((await frame.getAttribute('src')) ?? '');
    expect(source.headers.get('x-content-type-options')).toBe('nosniff');
    // The viewer of a browser shows no PDF with a sandbox, and the page shows it in a frame.
    expect(source.headers.get('content-security-policy')).toBeNull();
    expect(source.headers.get('x-frame-options')).toBe('SAMEORIGIN');
    expect(pageErrors).toEqual([]);
  });

  test('an object that became a page after its description was read gets no frame', async () => {
    await put('trap', 'application/pdf', PDF);
    const { page, pageErrors } = await dashboard.open('overview');
    await page.route('**/signed-url', async (route) => {
      await put('trap', 'text/html', HTML);
      return route.fallback();
    });
    await visit(page, 'buckets/media/object?key=trap');
    await textOn(page, 'The object is not a PDF any more.').waitFor();
    expect(await page.locator('iframe').count()).toBe(0);
    expect(pageErrors).toEqual([]);
  });

  test('the policy of the page refuses pictures and frames of others, and scripts of the store', async () => {
    const { page } = await dashboard.openEmpty();
    // It needs no sign-in, and has the same policy as every other page.
    await page.goto(`${dashboard.service().baseUrl}/?state=of-another-window&code=x`);
    await textOn(page, 'This window can be closed').waitFor();
    const { url } = await (
      await dashboard.request('POST', '/signed-url', {
        body: JSON.stringify({ bucket: 'media', key: 'page.html', method: 'GET' }),
      })
    ).json();
    const refused = await page.evaluate(async (script) => {
      const violations: string[] = [];
      document.addEventListener('securitypolicyviolation', ({ effectiveDirective }) =>
        violations.push(effectiveDirective),
      );
      const add = (tag: string, src: string) => {
        const element = document.createElement(tag);
        try {
          element.setAttribute('src', src);
        } catch {
          violations.push('trusted-types');
        }
        document.body.append(element);
      };
      add('img', 'https://other.example/x.png');
      add('iframe', 'https://other.example/');
      add('iframe', 'data:text/html,x');
      add('script', script);
      const isRefused = (name: string, count: number) =>
        violations.filter((found) => found === name).length === count;
      // If one of them is not refused, the timeout of the test ends it.
      while (!isRefused('img-src', 1) || !isRefused('frame-src', 2)) {
        await new Promise((resolve) => requestAnimationFrame(resolve));
      }
      return violations;
    }, url);
    expect(refused).toContain('trusted-types');
  });

  test.each(WIDTHS)('previews and thumbnails conform to WCAG AA at %i pixels', async (width) => {
    const { page, pageErrors } = await open('cat.png', width);
    const found: string[] = [];
    for (const key of ['cat.png', 'long.txt', 'sound.wav']) {
      await visit(page, `buckets/media/object?key=${key}`);
      await page.getByRole('heading', { name: key }).waitFor();
      await untilLoaded(page);
      found.push(...(await check(page, `preview ${key}`)));
    }
    await visit(page, 'buckets/media');
    await page.getByLabel('Show deleted').waitFor();
    await page.getByLabel('Grid').check();
    await page.locator('.thumbnail img').nth(1).waitFor();
    found.push(...(await check(page, 'thumbnails')));
    expect(found).toEqual([]);
    expect(pageErrors).toEqual([]);
  });
});
