/** Plans `stowage cp` and `mv`: one job for each file and object. */
import path from 'node:path';
import type { StowageClient } from '../../../client/index';
import { type Address, addressText, folderPrefix, type RemoteAddress } from '../../shared/address';
import { EXIT, UsageError, UserError } from '../../shared/errors';
import { filesBelow, pathBelow, statOf } from './local-tree';

/** One file or object, from one place to another. */
export interface Job {
  readonly from: Address;
  readonly to: Address;
  /** Undefined when it is not known before the source is read. */
  readonly size?: number;
  /** The folder of this machine that the file must stay in: its name is that of a key. */
  readonly within?: string;
  /** Why it cannot be copied. It is reported when its turn comes, so that others are copied. */
  readonly problem?: string;
}

export interface PlanOptions {
  readonly recursive?: boolean;
  readonly asOf?: number;
  readonly signal: AbortSignal;
}

/** Where everything goes. */
export interface Destination {
  readonly address: Address;
  /** Whether a single file or object keeps its name below it. */
  readonly isFolder: boolean;
}

/** Parses a destination. Throws UsageError for an argument that cannot be one. */
export async function destinationOf(address: Address, sources: number): Promise<Destination> {
  if (address.kind === 'standard') {
    if (sources > 1) throw new UsageError('standard output takes one object');
    return { address, isFolder: false };
  }
  if (address.kind === 'remote') {
    return { address, isFolder: sources > 1 || address.key === '' || address.key.endsWith('/') };
  }
  const found = await statOf(address.path);
  const isNamedFolder = sources > 1 || /[/\\]$/.test(address.path);
  if (isNamedFolder && found && !found.isDirectory()) {
    throw new UsageError(`${address.path} is no folder`);
  }
  return { address, isFolder: isNamedFolder || found?.isDirectory() === true };
}

/** As with `rsync`: `folder/` is what it contains, `folder` is the folder itself. */
export function jobsOf(
  client: StowageClient,
  source: Address,
  destination: Destination,
  options: PlanOptions,
): AsyncIterable<Job> {
  if (source.kind === 'standard') return standardJob(destination);
  if (source.kind === 'local') return localJobs(source.path, destination, options);
  return remoteJobs(client, source, destination, options);
}

async function* standardJob({ address, isFolder }: Destination): AsyncGenerator<Job> {
  if (address.kind !== 'remote' || isFolder) {
    throw new UsageError('standard input needs a key: stowage cp - photos:report.txt');
  }
  yield { from: { kind: 'standard' }, to: address };
}

async function* localJobs(
  source: string,
  destination: Destination,
  { recursive }: PlanOptions,
): AsyncGenerator<Job> {
  const found = await statOf(source);
  if (!found) throw new UserError(`there is no file ${source}`, EXIT.notFound);
  if (destination.address.kind !== 'remote') {
    throw new UsageError(`one side must be in a bucket, such as photos:${path.basename(source)}`);
  }
  const name = path.basename(path.resolve(source));
  if (!found.isDirectory()) {
    const to = destination.isFolder ? below(destination.address, name) : destination.address;
    yield { from: { kind: 'local', path: source }, to, size: found.size };
    return;
  }
  if (!recursive) throw new UsageError(`${source} is a folder: pass -r`);
  const isContent = /[/\\]$/.test(source) || /^\.{1,2}$/.test(path.basename(source));
  const root = isContent ? destination.address : below(destination.address, name);
  for await (const file of filesBelow(source)) {
    const from = { kind: 'local', path: file.path } as const;
    const { size, problem } = file;
    yield { from, to: below(root, file.relative), size, problem };
  }
}

async function* remoteJobs(
  client: StowageClient,
  source: RemoteAddress,
  destination: Destination,
  { recursive, asOf, signal }: PlanOptions,
): AsyncGenerator<Job> {
  const { bucket, key } = source;
  const name = key.split('/').at(-1) ?? '';
  if (!recursive) {
    if (name === '') throw new UsageError(`${addressText(source)} is a folder: pass -r`);
    yield { from: { kind: 'remote', ...source }, ...targetOf(destination, name) };
    return;
  }
  const prefix = folderPrefix(key);
  const kept = prefix.length - (name === '' ? 0 : name.length + 1);
  const root = targetFolder(destination, key.slice(kept, prefix.length));
  // The list would contain the copies, which would then be copied again.
  if (asOf === undefined && root?.bucket === bucket && root.key.startsWith(prefix)) {
    throw new UsageError(`${addressText(root)} is a part of the source: name another destination`);
  }
  let isEmpty = true;
  for await (const object of client.objects(bucket, { prefix, asOf, signal })) {
    isEmpty = false;
    const place = belowOf(destination, object.key.slice(kept));
    const within = destination.address.kind === 'local' ? destination.address.path : undefined;
    yield {
      from: { kind: 'remote', bucket, key: object.key },
      ...place,
      size: object.size,
      within,
    };
  }
  if (!isEmpty) return;
  if (name === '') throw new UserError(`nothing is below ${addressText(source)}`, EXIT.notFound);
  yield { from: { kind: 'remote', ...source }, ...targetOf(destination, name) };
}

/** Undefined for a folder of this machine. */
function targetFolder({ address }: Destination, relative: string): RemoteAddress | undefined {
  if (address.kind !== 'remote') return undefined;
  const { bucket, key } = below(address, relative);
  return { bucket, key: key === '/' ? '' : key };
}

type Target = Pick<Job, 'to' | 'problem'>;

/** The place of a single object. */
function targetOf(destination: Destination, name: string): Target {
  return destination.isFolder ? belowOf(destination, name) : { to: destination.address };
}

/** The place of an object that keeps the end of its key. */
function belowOf({ address }: Destination, relative: string): Target {
  if (address.kind === 'standard') throw new UsageError('standard output takes one object');
  if (address.kind === 'remote') return { to: below(address, relative) };
  const file = pathBelow(address.path, relative);
  return file === undefined
    ? { to: address, problem: UNFIT }
    : { to: { kind: 'local', path: file } };
}

const UNFIT = 'this key cannot be the name of a file here: copy it alone, with a name';

function below({ bucket, key }: RemoteAddress, relative: string): Address & RemoteAddress {
  return { kind: 'remote', bucket, key: `${folderPrefix(key)}${relative}` };
}
