import { S3Presigner } from '../../../adapters/s3/presigner';
import { connectS3, elementOf, escapeXml } from '../../../adapters/s3/s3-connection';

const original = { ...process.env };

beforeEach(() => {
  Object.assign(process.env, {
    AWS_REGION: 'eu-west-1',
    AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
    AWS_SECRET_ACCESS_KEY: 'secret',
  });
});
afterEach(() => {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, original);
});

async function signedPut(): Promise<URL> {
  const presigner = new S3Presigner(connectS3(), 'content');
  return new URL((await presigner.presignPut('a', { expiresIn: 60 })).url);
}

test('an S3 URL has the bucket in its host without an endpoint override', async () => {
  expect((await signedPut()).href).toMatch(
    /^https:\/\/content\.s3\.eu-west-1\.amazonaws\.com\/a\?/,
  );
});

test.each(['AWS_ENDPOINT_URL_S3', 'AWS_ENDPOINT_URL'])(
  'an S3 URL has the bucket in its path with %s',
  async (name) => {
    process.env[name] = 'http://127.0.0.1:4566';

    expect((await signedPut()).href).toMatch(/^http:\/\/127\.0\.0\.1:4566\/content\/a\?/);
  },
);

test('the credentials of an environment are expected to last for twelve hours less a quarter', async () => {
  const presigner = new S3Presigner(connectS3(), 'content');
  const { expiresAt } = await presigner.presignGet('a', { expiresIn: 7 * 86_400 });
  const began = Date.parse(expiresAt) - 11.75 * 3_600_000;
  expect(began).toBeLessThanOrEqual(Date.now());
  expect(began).toBeGreaterThanOrEqual(performance.timeOrigin - 1000);
});

test.each([
  ['<a>x</a>', 'x'],
  [' <a>x</a>', 'x'],
  ['<b><c>1</c><a>x</a><a>y</a></b>', 'x'],
  ['<a></a>', ''],
  ['<b>x</b>', undefined],
  ['<ab>x</ab>', undefined],
  ['<a>x', undefined],
  ['', undefined],
  ['<a>&lt;&gt;&quot;&apos;&amp;&amp;lt;</a>', '<>"\'&&lt;'],
  ['<a>&#38;&#1040;&#x26;&#X1F600;&nbsp;</a>', '&А&😀&nbsp;'],
])('the text of the element in %j is %j', (xml, text) => {
  expect(elementOf(xml, 'a')).toBe(text);
});

test('text with markup is the same after XML', () => {
  const text = `a<b>&"c'&lt;ü😀`;
  expect(escapeXml(text)).toBe("a&#60;b&#62;&#38;&#34;c'&#38;lt;ü😀");
  expect(elementOf(`<a>${escapeXml(text)}</a>`, 'a')).toBe(text);
});
