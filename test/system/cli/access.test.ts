/** The command `stowage` against the emulator: sharing, profiles and mistakes. */
import { statSync } from 'node:fs';
import path from 'node:path';
import { until } from '../../support/until';
import { Command } from '../support/command';
import { useCommandWorld } from './world';

jest.setTimeout(240_000);

const world = useCommandWorld();

describe('share, links and keys', () => {
  test('share makes a link that opens the object until unshare', async () => {
    const bucket = await world.newBucket('a');
    const [link] = await world.stowage.json(
      'share',
      `${bucket}:a`,
      '--expires',
      '1h',
      '--max-uses',
      '9',
    );
    const { id, url } = link as { id: string; url: string };
    expect(await (await fetch(`${url}&download=`)).text()).toBe('a');
    expect(await world.stowage.json('links', bucket)).toMatchObject([{ id, max_uses: 9 }]);
    await world.stowage.lines('unshare', id);
    expect((await fetch(url)).status).toBe(404);
  });

  test('share --upload prints a signed URL that uploads one file', async () => {
    const bucket = await world.newBucket();
    const [signed] = await world.stowage.json('share', '--upload', `${bucket}:in`);
    const { url, headers } = signed as { url: string; headers: Record<string, string> };
    expect((await fetch(url, { method: 'PUT', headers, body: 'in' })).status).toBe(200);
    await until('the object', async () => (await world.keysOf(bucket)).length === 1);
  });

  test('keys makes a temporary key that may do only what it names', async () => {
    const bucket = await world.newBucket('x/a', 'y');
    const [key = ''] = await world.stowage.lines('keys', `${bucket}:x/`, '--may', 'read,list');
    const limited = new Command(world.folder, { ...world.service, apiKey: key });
    expect(await limited.lines('ls', '-r', `${bucket}:x/`)).toEqual(['x/a']);
    expect((await limited.run(['cat', `${bucket}:y`])).status).toBe(4);
  });
});

describe('profiles and errors', () => {
  test('login saves a profile that only the user can read, and logout deletes it', async () => {
    const env = { STOWAGE_URL: '', STOWAGE_KEY: '' };
    const login = ['login', '--profile', 'work', '--url', world.service.baseUrl];
    const saved = await world.stowage.run(login, { env, input: `${world.service.apiKey}\n` });
    expect([saved.status, saved.stderr]).toEqual([0, '']);
    const file = path.join(world.folder, '.config/stowage/config.json');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect((await world.stowage.run(['ls'], { env })).status).toBe(0);
    expect((await world.stowage.run(['ls', '--profile', 'wrok'], { env })).stderr).toContain(
      'there is no profile wrok (known: work)',
    );
    expect((await world.stowage.run(['logout'], { env })).status).toBe(0);
    expect((await world.stowage.run(['ls'], { env })).stderr).toContain(
      'no service: set STOWAGE_URL',
    );
  });

  test('login refuses a key that the service does not accept', async () => {
    const { status } = await world.stowage.run(['login', '--url', world.service.baseUrl], {
      input: 'osk_x\n',
    });
    expect(status).toBe(4);
  });

  test.each<[string, readonly string[], number, RegExp]>([
    ['a command', ['lss'], 2, /unknown command 'lss'\n\(Did you mean ls\?\)/],
    ['an option', ['ls', '--recursiv'], 2, /Did you mean --recursive\?/],
    ['the form of an address', ['cat', 'photos/a.jpg'], 2, /write photos:a\.jpg/],
    ['a duration', ['share', 'photos:a', '--expires', '7 days'], 2, /such as 90s/],
    ['a service', ['ls', '--url', 'http://127.0.0.1:1'], 6, /no response from/],
    ['a key', ['ls', '--key', 'osk_wrong'], 4, /does not accept this API key/],
  ])('a mistake in %s is explained in one line', async (_what, args, status, text) => {
    const ended = await world.stowage.run(args);
    expect([ended.stderr, ended.status]).toEqual([expect.stringMatching(text), status]);
  });

  test('--json prints errors as JSON', async () => {
    const bucket = await world.newBucket();
    const { stderr, status } = await world.stowage.run(['stat', `${bucket}:none`, '--json']);
    expect(JSON.parse(stderr)).toMatchObject({
      error: { code: 'not_found', request_id: expect.any(String) },
    });
    expect(status).toBe(3);
  });

  test('create-key, revoke-key and sign-in print JSON with --json', async () => {
    const json = async (...args: string[]) =>
      JSON.parse(
        (await world.stowage.lines(...args, '--json', '--data', world.service.data))[0] ?? '',
      );
    const { id, name, api_key: key } = await json('create-key', '--name', 'job');
    expect([name, key.split('_')[1]]).toEqual(['job', id]);
    const revoked = { id, name: 'job', revoked_at: expect.any(String) };
    expect(await json('revoke-key', key)).toEqual(revoked);
    expect(await json('sign-in')).toEqual({ access_token: expect.any(String) });
  });

  test.each([
    [3, 'no key with this id', ['revoke-key', 'MTivvttCEgQl']],
    [2, 'neither the id', ['revoke-key', 'MTiv']],
    [2, 'the permissions cannot be read', ['create-key', '{']],
    [2, '--expires-in-days must be', ['create-key', '--expires-in-days', '0']],
    [2, '--table requires --audit-table', ['create-key', '--table', 'keys']],
    [2, 'Did you mean --name?', ['create-key', '--nmae', 'job']],
    [2, 'Did you mean repair?', ['restore-backup', 'repiar']],
    [2, 'requires either --moment or --lost', ['restore-backup', 'repair']],
    [2, 'no assumption contains "nothing"', ['smoke', '--only', 'nothing']],
  ])('commands of an operator exit with %s: %s', async (code, text, args) => {
    const { status, stderr } = await world.stowage.run([...args, '--data', world.service.data]);
    expect([status, stderr]).toEqual([code, expect.stringContaining(text)]);
  });

  test('--version and --help print to standard output', async () => {
    expect(await world.stowage.lines('--version')).toEqual([
      expect.stringMatching(/^\d+\.\d+\.\d+$/),
    ]);
    expect((await world.stowage.lines('cp', '--help')).join('\n')).toContain('Examples:');
    expect((await world.stowage.lines('help', 'create-key')).join('\n')).toContain('--audit-table');
  });

  test('--help exits with 0 and prints no error when its reader is gone', async () => {
    const help = world.stowage.start(['--help']);
    help.closeOutput();
    const { status, stderr } = await help.ended();
    expect([status, stderr]).toEqual([0, '']);
  });
});
