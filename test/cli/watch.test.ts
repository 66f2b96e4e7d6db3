/** The command `watch`: what it prints, how it fails and how it ends. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { KEY, type ModelService, startModelService } from '../client/model-service';
import { useTemporaryFolder } from '../support/temporary-folder';
import { until } from '../support/until';
import { Command } from '../system/support/command';

const folder = useTemporaryFolder('watch');
/** Without a service in its environment. */
const stowage = new Command(folder, { baseUrl: '', apiKey: '' });
let service: ModelService;

beforeEach(async () => {
  service = await startModelService();
  service.model.create('photos');
});
afterEach(() => service.stop());

function put(key: string): void {
  service.model.commit('photos', [{ type: 'put', key }]);
}

test('watch prints each change of the local service and exits with 0 on Ctrl-C', async () => {
  const endpoints = JSON.stringify({ baseUrl: service.baseUrl });
  writeFileSync(path.join(folder, 'endpoints.json'), endpoints);
  writeFileSync(path.join(folder, 'first-api-key'), `${KEY}\n`);
  const watching = stowage.start(['watch', 'photos', '--data', folder]);
  await watching.printed('watching photos from cursor 0');
  expect(watching.stderr).toContain('connected by WebSocket');
  put('a/1');
  put('\u009b2Jb\u202e');
  await watching.printed('     1  put     a/1  version 1, 5 B, text/plain\n');
  await watching.printed('     2  put     \\u{9b}2Jb\\u{202e}  version 1');
  expect(await watching.end('SIGINT')).toBe(0);
});

test('watch prints the changes after a cursor as JSON, by long polling', async () => {
  put('a');
  put('b');
  const args = ['photos', '--cursor', '1', '--json', '--transport', 'poll'];
  const watching = stowage.start(['watch', ...args, '--url', service.baseUrl, '--key', KEY]);
  await until('a change', () => watching.stdout.includes('\n'));
  expect(await watching.end('SIGTERM')).toBe(0);
  const change = JSON.parse(watching.stdout);
  expect(change).toMatchObject({ type: 'put', cursor: 2, object: { key: 'b' } });
});

test.each<[string, string, number, RegExp]>([
  ['no bucket is named', '', 2, /^stowage: missing required argument 'address'\n/],
  ['an option is unknown', 'photos --curser 1', 2, /'--curser'\n\(Did you mean --cursor\?\)/],
  ['the cursor is not a number', 'photos --cursor x', 2, /^stowage: --cursor must be a whole/],
  ['no service runs here', 'photos --data nowhere', 1, /^stowage: no service: set STOWAGE_URL/],
  ['there is no key', 'photos --url URL', 1, /^stowage: no API key for \S+: pass --key, .*\n$/],
  [
    'the key is not accepted',
    'photos --url URL --key x',
    4,
    /^stowage: the service does not accept this API key: see 'stowage login' \(request r-1\)\n$/,
  ],
])('watch reports in one line that %s', async (_what, line, expected, text) => {
  const args = line.replace('URL', service.baseUrl).split(' ');
  const { status, stderr, stdout } = await stowage.run(['watch', ...args.filter(Boolean)]);
  expect([status, stdout]).toEqual([expected, '']);
  expect(stderr).toMatch(text);
});

test('watch reports an unreachable service and keeps trying', async () => {
  await service.stop();
  const watching = stowage.start(['watch', 'photos', '--url', service.baseUrl, '--key', KEY]);
  await watching.printed('no response from');
  expect(await watching.end('SIGINT')).toBe(0);
  service = await startModelService();
});
