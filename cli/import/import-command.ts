/** `stowage import`: its arguments. */
import { folderPrefix, parseRemote } from '../shared/address';
import type { Session } from '../shared/session';
import { excludedBy } from '../sync/filter';
import { PrintedReport, stateFileOf } from '../sync/sync-command';
import { importBucket } from './import-bucket';
import { type S3Options, S3Source } from './s3-source';

export interface ImportOptions extends S3Options {
  readonly dryRun?: boolean;
  readonly checksum?: boolean;
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
  readonly parallel: number;
  readonly state?: string;
}

/** Throws UserError when a name has failed. */
export async function importCommand(
  session: Session,
  from: string,
  to: string,
  options: ImportOptions,
): Promise<void> {
  const { bucket, key } = parseRemote(to);
  const prefix = folderPrefix(key);
  const source = await S3Source.open(from, options);
  const printed = new PrintedReport(session, options.dryRun ?? false);
  const about = JSON.stringify(['import', session.url, source.about, bucket, prefix]);
  try {
    await importBucket({
      client: await session.client(),
      source,
      destination: { kind: 'bucket', bucket, prefix },
      options: {
        dryRun: options.dryRun ?? false,
        checksum: options.checksum ?? false,
        parallel: options.parallel,
        isExcluded: excludedBy(options),
        stateFile: options.state ?? stateFileOf(about),
        signal: session.signal,
      },
      report: printed.report,
    });
  } finally {
    source.close();
  }
  printed.end();
}
