/** Commands that give others access: links, signed URLs, temporary keys. */
import type { Command } from 'commander';
import type { SignedUrl } from '../../client/index';
import { addressText, parseBucket, parseObject } from '../shared/address';
import { duration } from '../shared/durations';
import { UsageError } from '../shared/errors';
import { examples, wholeNumber } from '../shared/help';
import { askSecret } from '../shared/prompt';
import { act, type Session } from '../shared/session';
import { Failures } from '../shared/several';
import { shown, timeText } from '../shared/text';

export function sharingCommands(program: Command): void {
  program.commandsGroup('Sharing:');
  shareCommand(program);
  linksCommands(program);
  keysCommand(program);
}

function shareCommand(program: Command): void {
  const command = program
    .command('share')
    .description('make a link that opens an object without a key, until it is revoked')
    .argument('<object>', 'such as photos:2026/cat.jpg')
    .option(
      '--expires <duration>',
      'how long it works, to 365d (default: 7d)',
      duration('--expires'),
    )
    .option('--max-uses <n>', 'how often it can be opened', wholeNumber('--max-uses', 1))
    .option('--password', 'asks for a password, which opening it then needs')
    .option('--version-number <n>', 'this version of it', wholeNumber('--version-number', 1))
    .option('--note <text>', 'shown on its page')
    .option('--upload', 'a signed URL by which one file can be uploaded, to 1h (default: 5m)')
    .action(act(share));
  examples(command, [
    'stowage share photos:2026/cat.jpg --expires 30d',
    'stowage share photos:report.pdf --password --max-uses 3',
    'stowage share --upload photos:inbox/cat.jpg    # prints the curl command for it',
  ]);
}

interface ShareOptions {
  readonly expires?: number;
  readonly maxUses?: number;
  readonly password?: boolean;
  readonly versionNumber?: number;
  readonly note?: string;
  readonly upload?: boolean;
}

async function share(session: Session, text: string, options: ShareOptions): Promise<void> {
  const { expires: expiresIn, maxUses, versionNumber: version, note, upload } = options;
  const { output, signal } = session;
  const { bucket, key } = parseObject(text);
  const client = await session.client();
  if (upload) {
    if (options.password || maxUses || version || note) {
      throw new UsageError('--upload takes --expires only: a signed URL has no other settings');
    }
    const signed = await client.signedUrl(bucket, key, { method: 'PUT', expiresIn, signal });
    return output.print(signed, curlLine(signed));
  }
  const password = options.password ? await askSecret('Password of the link: ', signal) : undefined;
  const settings = { expiresIn, maxUses, version, note, password, signal };
  const link = await client.links.create(bucket, key, settings);
  await output.print(link, link.url);
  output.note(`ends ${timeText(link.expires_at)}; 'stowage unshare ${link.id}' ends it now`);
}

/** Returns the curl command for a signed URL, with the headers that it requires. */
function curlLine({ url, headers }: SignedUrl): string {
  const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
  const options = Object.entries(headers).map(
    ([name, value]) => `-H ${quoted(`${name}: ${value}`)}`,
  );
  return ['curl -T FILE', ...options, quoted(url)].join(' ');
}

function linksCommands(program: Command): void {
  const links = program
    .command('links')
    .description('list the links into a bucket')
    .argument('<bucket>', 'its name')
    .action(act(listLinks));
  examples(links, ['stowage links photos', 'stowage links photos --json | jq -r .id']);
  const unshare = program
    .command('unshare')
    .description('revoke links')
    .argument('<id...>', "as 'stowage links' prints them")
    .action(act(revokeLinks));
  examples(unshare, ['stowage unshare 6fK2QwzL9xYb']);
}

async function listLinks(session: Session, text: string): Promise<void> {
  const { output, signal } = session;
  const bucket = parseBucket(text);
  const client = await session.client();
  let pageToken: string | undefined;
  do {
    const page = await client.links.list(bucket, { limit: 1000, pageToken, signal });
    for (const link of page.links) {
      const { id, expires_at, uses, max_uses } = link;
      const used = max_uses === undefined ? `${uses} used` : `${uses} of ${max_uses} used`;
      const key = shown(addressText(link));
      await output.print(link, `${id}  until ${timeText(expires_at)}  ${used}  ${key}`);
    }
    pageToken = page.next_page_token;
  } while (pageToken !== undefined);
}

async function revokeLinks(session: Session, ids: readonly string[]): Promise<void> {
  const { output, signal } = session;
  const client = await session.client();
  const failures = new Failures(session);
  for (const id of ids) {
    await failures.attempt(id, async () => {
      await client.links.revoke(id, { signal });
      await output.print({ id }, `revoked ${shown(id)}`);
    });
  }
  failures.end();
}

const ACTIONS = 'read, write, delete, list, sync, sign, create_bucket, delete_bucket';

function keysCommand(program: Command): void {
  const command = program
    .command('keys')
    .description('make a temporary key that may do a part of what yours may')
    .argument('<address...>', 'where: buckets, or the beginning of keys, such as photos:2026/')
    .requiredOption('--may <actions>', `what, such as read,list: of ${ACTIONS}`)
    .option('--expires <duration>', 'how long it works (default: 1h)', duration('--expires'))
    .action(act(makeKey));
  examples(command, [
    'stowage keys photos:2026/ --may read,list --expires 2h',
    'STOWAGE_KEY=$(stowage keys photos --may read,list) stowage ls photos',
  ]);
}

interface KeyOptions {
  readonly may: string;
  readonly expires?: number;
}

async function makeKey(
  session: Session,
  texts: readonly string[],
  { may, expires }: KeyOptions,
): Promise<void> {
  const { output, signal } = session;
  const actions = may.split(',').map((each) => each.trim());
  // Not an address: the name of a bucket may end in an asterisk.
  const permissions = texts.map((text) => {
    const [bucket = '', ...rest] = text.split(':');
    const prefix = rest.join(':');
    return { buckets: [bucket], ...(prefix !== '' && { prefix }), actions };
  });
  const client = await session.client();
  const key = await client.temporaryKey(permissions, { expiresIn: expires, signal });
  await output.print(key, key.token);
  output.note(`works until ${timeText(key.expires_at)}`);
}
