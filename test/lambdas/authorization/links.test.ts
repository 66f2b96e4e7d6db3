/** When a link opens, generated: by what its maker may do now. */
import { newApiKey } from '../../../core/access/api-key';
import type { ApiKeyRecord } from '../../../core/access/ports';
import { createLinks } from '../../../service/links/links';
import { send } from '../../support/requests';
import { ALL, PERMISSIONS } from './callers';
import { bearer } from './credentials';
import { decide } from './rules';
import { type AuthorizedService, openService } from './service';
import { makeResources, PRESENT } from './world';

let service: AuthorizedService;
let links: ReturnType<typeof createLinks>;

beforeAll(async () => {
  service = openService();
  links = createLinks({ ...service.deps, contentOrigin: 'https://content.example' });
  const root = service.addKey(ALL).text;
  await makeResources((asked) => service.ask(bearer(root), asked));
});

/** The statuses of the page, of the download and of a wrong secret. */
async function statusesOf(url: string): Promise<readonly number[]> {
  const { pathname: path, searchParams } = new URL(url);
  const secret = searchParams.get('secret') ?? '';
  const open = async (query: Readonly<Record<string, string>>) =>
    (await send((event) => links({ ...event, path }), { path, query })).status;
  return [
    await open({ secret }),
    await open({ secret, download: '' }),
    await open({ secret: `${secret.slice(0, -1)}${secret.endsWith('0') ? '1' : '0'}` }),
    await open({}),
  ];
}

async function linkBy(token: string, { bucket, key }: { bucket: string; key: string }) {
  const asked = { method: 'POST', path: '/links', body: JSON.stringify({ bucket, key }) };
  const { status, text } = await service.ask(bearer(token), asked);
  expect(status).toBe(201);
  return JSON.parse(text).url as string;
}

test('a link opens as long as its maker may make it, and by its own secret only', async () => {
  const wrong: string[] = [];
  for (const target of PRESENT) {
    const makers = PERMISSIONS.map((permissions) => ({ permissions, ...service.addKey(ALL) }));
    const urls: string[] = [];
    for (const { text } of makers) urls.push(await linkBy(text, target));
    const narrowed = new Map(makers.map(({ id, permissions }) => [id, permissions]));
    await service.changeKeys([...narrowed.keys()], (id) => ({ permissions: narrowed.get(id) }));
    for (const [index, { permissions }] of makers.entries()) {
      const isOpen = decide('open link', permissions, target) === 'allowed';
      const expected = isOpen ? [200, 307, 404, 404] : [404, 404, 404, 404];
      const found = await statusesOf(urls[index] ?? '');
      if (`${found}` !== `${expected}`) wrong.push(`${JSON.stringify(permissions)}: ${found}`);
    }
  }
  expect(wrong.slice(0, 20)).toEqual([]);
});

test.each<[string, (record: ApiKeyRecord, now: string) => object, boolean]>([
  ['is revoked', (_, now) => ({ revokedAt: now }), false],
  ['is replaced', ({ id }) => ({ secretHash: newApiKey(id).secretHash, generation: 1 }), false],
  ['expires', (_, now) => ({ expiresAt: now }), true],
  ['stays', () => ({}), true],
])('a link whose maker %s opens as the contract says', async (_what, change, isOpen) => {
  const { id, text, record } = service.addKey(ALL);
  const url = await linkBy(text, { bucket: 'photos', key: 'in/a' });
  await service.changeKeys([id], () => change(record, service.deps.clock.iso()));
  expect((await statusesOf(url)).slice(0, 2)).toEqual(isOpen ? [200, 307] : [404, 404]);
});
