/** `stowage cp` and `mv`. */
import { type ContentOptions, type StowageClient, StowageError } from '../../../client/index';
import { parseAddress } from '../../shared/address';
import { timeAfter } from '../../shared/durations';
import { UsageError, UserError } from '../../shared/errors';
import type { Session } from '../../shared/session';
import { eachConcurrently, Failures } from '../../shared/several';
import { shown, sizeText } from '../../shared/text';
import { destinationOf, type Job, jobsOf } from './plan';
import { placeText, transfer } from './transfer';

export interface CopyOptions {
  readonly recursive?: boolean;
  /** Leaves existing files and objects as they are. */
  readonly clobber: boolean;
  readonly versionNumber?: number;
  readonly asOf?: number;
  readonly type?: string;
  readonly meta?: Readonly<Record<string, string>>;
  readonly cacheControl?: string;
  readonly disposition?: string;
  readonly expires?: number;
  readonly parallel: number;
}

export function cp(session: Session, paths: readonly string[], options: CopyOptions) {
  return copyAll(session, paths, options, false);
}

export function mv(session: Session, paths: readonly string[], options: CopyOptions) {
  return copyAll(session, paths, options, true);
}

async function copyAll(
  session: Session,
  paths: readonly string[],
  options: CopyOptions,
  isMove: boolean,
): Promise<void> {
  const sources = paths.slice(0, -1).map(parseAddress);
  const last = paths.at(-1);
  if (last === undefined || sources.length === 0) {
    throw new UsageError('name a source and a destination, such as cat.jpg photos:2026/');
  }
  const isStandard = sources.some(({ kind }) => kind === 'standard');
  if (isMove && isStandard) throw new UsageError('standard input cannot be moved: use cp');
  const destination = await destinationOf(parseAddress(last), sources.length);
  if (isMove && destination.address.kind === 'standard') {
    throw new UsageError('an object cannot be moved to standard output: use cp');
  }
  if (isMove && (options.versionNumber !== undefined || options.asOf !== undefined)) {
    throw new UsageError('an earlier version cannot be moved: use cp');
  }
  const client = await session.client();
  const { signal } = session;
  const { recursive, asOf } = options;
  const failures = new Failures(session);
  const run = runner(session, client, options, isMove);
  async function* jobs(): AsyncGenerator<Job> {
    for (const source of sources) {
      yield* jobsOf(client, source, destination, { recursive, asOf, signal });
    }
  }
  const taken = new Set<string>();
  const runOnce = async (job: Job) => {
    if (job.problem !== undefined) throw new UserError(job.problem);
    const to = placeText(job.to);
    // The later one would replace the earlier one, whose source mv has deleted.
    if (taken.has(to)) throw new UsageError(`another source has gone to ${to}`);
    if (sources.length > 1) taken.add(to);
    await run(job);
  };
  try {
    await eachConcurrently(jobs(), options.parallel, (job) =>
      failures.attempt(placeText(job.from), () => runOnce(job)),
    );
  } catch (error) {
    if (signal.aborted) session.output.note('files in parts continue with the same command');
    throw error;
  }
  failures.end();
}

function runner(
  session: Session,
  client: StowageClient,
  options: CopyOptions,
  isMove: boolean,
): (job: Job) => Promise<void> {
  const { output, progress, signal } = session;
  const { versionNumber, asOf } = options;
  const settings = {
    ...{ versionNumber, asOf, isMove, signal },
    content: contentOf(options),
    isNew: !options.clobber,
  };
  return async (job) => {
    const [from, to] = [placeText(job.from), placeText(job.to)];
    progress.expect(job.size);
    const bar = progress.begin(from);
    try {
      const made = await transfer(client, job, { ...settings, onProgress: bar.at });
      // Standard output has the object itself.
      if (job.to.kind === 'standard') return;
      const { size, version } = made;
      const text = `${shown(from)} -> ${shown(to)}  ${sizeText(size)}`;
      await output.print({ from, to, size, version, moved: isMove }, text);
    } catch (error) {
      const isThere = error instanceof StowageError && error.code === 'precondition_failed';
      if (options.clobber || !isThere) throw error;
      await output.print({ from, to, skipped: true }, `${shown(to)} exists: left as it is`);
    } finally {
      bar.end();
    }
  };
}

function contentOf(options: CopyOptions): ContentOptions {
  const { type, meta, cacheControl, disposition, expires } = options;
  const expiresAt = expires && timeAfter(expires, '--expires');
  return {
    ...(type !== undefined && { contentType: type }),
    ...(meta !== undefined && { metadata: meta }),
    ...(cacheControl !== undefined && { cacheControl }),
    ...(disposition !== undefined && { contentDisposition: disposition }),
    ...(expiresAt && { expiresAt }),
  };
}
