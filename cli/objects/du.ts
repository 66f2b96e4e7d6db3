/** `stowage du`: objects and bytes below a prefix. */
import { parseRemote } from '../shared/address';
import type { Session } from '../shared/session';
import { countText, shown, sizeText } from '../shared/text';

interface Usage {
  objects: number;
  size: number;
}

/** Lists all objects and counts them by their first folder. */
export async function du(
  session: Session,
  text: string,
  { asOf }: { readonly asOf?: number },
): Promise<void> {
  const { output, signal } = session;
  const { bucket, key: prefix } = parseRemote(text);
  const client = await session.client();
  const total: Usage = { objects: 0, size: 0 };
  const folders = new Map<string, Usage>();
  for await (const { key, size } of client.objects(bucket, { prefix, asOf, signal })) {
    add(total, size);
    const end = key.indexOf('/', prefix.length);
    if (end < 0) continue;
    const folder = key.slice(0, end + 1);
    const usage = folders.get(folder) ?? { objects: 0, size: 0 };
    folders.set(folder, usage);
    add(usage, size);
  }
  for (const [folder, usage] of folders) {
    await output.print({ bucket, prefix: folder, ...usage }, lineOf(usage, `${bucket}:${folder}`));
  }
  await output.print(
    { bucket, prefix, ...total, total: true },
    lineOf(total, `${bucket}:${prefix} in total`),
  );
}

function add(usage: Usage, size: number): void {
  usage.objects += 1;
  usage.size += size;
}

function lineOf({ objects, size }: Usage, name: string): string {
  return `${sizeText(size).padStart(8)}  ${countText(objects, 'object').padStart(12)}  ${shown(name)}`;
}
