/** What the requests are about, made through the interface by a key for everything. */
import type { Asked, Resources } from './operations';
import type { Target } from './rules';

/** Sends a request as the holder of every permission. */
export type AskAsRoot = (
  asked: Asked,
) => Promise<{ readonly status: number; readonly text: string }>;

/** Inside the prefix of narrowed callers, outside, absent, in another bucket, in none. */
export const TARGETS: readonly Target[] = [
  { bucket: 'photos', key: 'in/a', prefix: 'in/' },
  { bucket: 'photos', key: 'out/b', prefix: 'out/' },
  { bucket: 'photos', key: 'in/none', prefix: 'in/none' },
  { bucket: 'other', key: 'in/a', prefix: 'in/' },
  { bucket: 'missing', key: 'in/a', prefix: 'in/' },
];

export const isAbsent = ({ bucket, key }: Target) => bucket === 'missing' || key === 'in/none';

/** What exists. */
export const PRESENT = TARGETS.filter((target) => !isAbsent(target));

const post = (path: string, body: object): Asked => ({
  ...{ method: 'POST', path, body: JSON.stringify(body) },
});

/** The ids of resources that exist nowhere. */
const NO_IDS = {
  uploadId: '01KAG8Y2M4Q7T9V1X3Z5B7D9F1',
  linkId: 'b0000000000900000000000000000000AA',
};

/** Makes the buckets, objects, consumers, uploads and links of the targets. */
export async function makeResources(
  ask: AskAsRoot,
  targets: readonly Target[] = TARGETS,
): Promise<readonly Resources[]> {
  const must = async (asked: Asked) => {
    const { status, text } = await ask(asked);
    // The bucket may be there.
    if (status >= 300 && status !== 409)
      throw new Error(`${asked.method} ${asked.path}: ${status} ${text}`);
    return JSON.parse(text);
  };
  const made: Resources[] = [];
  for (const bucket of new Set(targets.filter((one) => !isAbsent(one)).map((one) => one.bucket))) {
    await must(post('/buckets', { name: bucket }));
  }
  for (const target of targets) {
    const { bucket, key, prefix } = target;
    const consumer = `of-${prefix.replaceAll('/', '-')}x`;
    if (isAbsent(target)) {
      made.push({ ...target, consumer, ...NO_IDS });
      continue;
    }
    await must({ method: 'PUT', path: `/objects/${bucket}/${key}`, body: 'x' });
    const upload = { bucket, key, method: 'PUT', multipart: { size: 6_000_000 } };
    const { upload_id: uploadId } = await must(post('/signed-url', upload));
    const { id: linkId } = await must(post('/links', { bucket, key }));
    const path = `/buckets/${bucket}/consumers/${consumer}`;
    await must({ method: 'PUT', path, body: JSON.stringify({ cursor: 0, prefix }) });
    made.push({ ...target, consumer, uploadId, linkId });
  }
  return made;
}
