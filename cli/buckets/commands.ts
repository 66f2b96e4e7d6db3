/** Commands about buckets. */
import type { Command } from 'commander';
import { parseBucket } from '../shared/address';
import { EXIT, UserError } from '../shared/errors';
import { examples } from '../shared/help';
import { confirm } from '../shared/prompt';
import { act, type Session } from '../shared/session';
import { Failures } from '../shared/several';
import { countText } from '../shared/text';

export function bucketCommands(program: Command): void {
  program.commandsGroup('Buckets:');
  const mb = program
    .command('mb')
    .description('make buckets')
    .argument('<bucket...>', '3 to 63 of a-z, 0-9 and -; a letter or digit first and last')
    .action(act(makeBuckets));
  examples(mb, ['stowage mb photos']);
  const rb = program
    .command('rb')
    .description('remove a bucket that is empty')
    .argument('<bucket>', 'its name')
    .option('--force', 'with every object in it; asks first')
    .option('-y, --yes', 'do not ask')
    .action(act(removeBucket));
  examples(rb, ['stowage rb photos', 'stowage rb photos --force --yes']);
}

async function makeBuckets(session: Session, names: readonly string[]): Promise<void> {
  const { output, signal } = session;
  const client = await session.client();
  const failures = new Failures(session);
  for (const text of names) {
    await failures.attempt(text, async () => {
      const bucket = await client.buckets.create(parseBucket(text), { signal });
      await output.print(bucket, `made ${bucket.name}:`);
    });
  }
  failures.end();
}

interface RemoveOptions {
  readonly force?: boolean;
  readonly yes?: boolean;
}

async function removeBucket(
  session: Session,
  text: string,
  { force, yes }: RemoveOptions,
): Promise<void> {
  const { output, signal } = session;
  const name = parseBucket(text);
  const client = await session.client();
  let deleted = 0;
  if (force) {
    const { object_count: count = 0 } = await client.buckets.get(name, { signal });
    const question = `Remove ${name} with ${countText(count, 'object')}, and its history?`;
    if (!yes && !(await confirm(question, signal))) {
      throw new UserError('nothing was removed', EXIT.failed);
    }
    deleted = await client.removeAll(name, '', { signal });
  }
  await client.buckets.delete(name, { signal });
  await output.print({ bucket: name, deleted }, `removed ${name}:`);
}
