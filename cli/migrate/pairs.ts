/** Lists of both services, side by side. */
import type { ObjectDescriptor } from '../../client/index';

export interface ObjectPair {
  readonly key: string;
  readonly from?: ObjectDescriptor;
  readonly to?: ObjectDescriptor;
}

type Objects = AsyncGenerator<ObjectDescriptor, void, undefined>;

/** Merges two lists in the order of their keys. */
export async function* pairsOf(source: Objects, target: Objects): AsyncGenerator<ObjectPair> {
  let [from, to] = await Promise.all([next(source), next(target)]);
  while (from || to) {
    const order = !from ? 1 : !to ? -1 : Buffer.compare(Buffer.from(from.key), Buffer.from(to.key));
    const pair = { from: order <= 0 ? from : undefined, to: order >= 0 ? to : undefined };
    yield { key: (pair.from ?? pair.to)?.key ?? '', ...pair };
    if (pair.from) from = await next(source);
    if (pair.to) to = await next(target);
  }
}

async function next(objects: Objects): Promise<ObjectDescriptor | undefined> {
  return (await objects.next()).value ?? undefined;
}

/** Whether the two have the same content; undefined when the descriptors do not tell. */
export function hasSameContent(from: ObjectDescriptor, to: ObjectDescriptor): boolean | undefined {
  if (from.size !== to.size) return false;
  if (from.checksum_sha256 !== undefined && to.checksum_sha256 !== undefined) {
    return from.checksum_sha256 === to.checksum_sha256;
  }
  // The MD5 of a content that was uploaded in one request. That of other uploads says nothing.
  return from.etag === to.etag && /^[0-9a-f]{32}$/.test(from.etag) ? true : undefined;
}

/** Whether content type, metadata and expiry are the same. */
export function hasSameDescription(from: ObjectDescriptor, to: ObjectDescriptor): boolean {
  return describe(from) === describe(to);
}

function describe({ content_type, metadata, expires_at }: ObjectDescriptor): string {
  return JSON.stringify([content_type, Object.entries(metadata).sort(), expires_at]);
}

/** The service deletes the object within the hour, and no upload may name this time. */
export function hasExpired({ expires_at: at }: ObjectDescriptor): boolean {
  return at !== undefined && Date.parse(at) <= Date.now();
}
