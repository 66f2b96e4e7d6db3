/** The checksums of content that lies in files. */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';

/** Reports whether content whose files have these MD5 digests (hex) has the etag. */
export function hasEtag(etag: string, digests: readonly string[]): boolean {
  const [first] = digests;
  return etag === (etag.includes('-') ? joinedEtag(digests) : first);
}

/** Returns S3's etag of an object that was uploaded in parts. */
export function joinedEtag(digests: readonly string[]): string {
  return `${md5Of(Buffer.from(digests.join(''), 'hex'))}-${digests.length}`;
}

export function md5Of(bytes: Uint8Array): string {
  return createHash('md5').update(bytes).digest('hex');
}

/**
 * Returns a stream of whole content. It fails before its last bytes when they do not have the etag:
 * the length of the response is known, so no client takes damaged content for whole.
 */
export function verified(files: Iterable<Readable>, etag: string, name: string): Readable {
  return Readable.from(checked(files, etag, name), { objectMode: false });
}

export function damaged(name: string): Error {
  return new Error(`the content ${name} is damaged: run stowage check`);
}

async function* checked(
  files: Iterable<Readable>,
  etag: string,
  name: string,
): AsyncGenerator<Buffer> {
  const digests: string[] = [];
  let held: Buffer | undefined;
  for (const file of files) {
    const hash = createHash('md5');
    for await (const chunk of file as AsyncIterable<Buffer>) {
      hash.update(chunk);
      if (held) yield held;
      held = chunk;
    }
    digests.push(hash.digest('hex'));
  }
  if (!hasEtag(etag, digests)) throw damaged(name);
  if (held) yield held;
}
