/** The api function on the fakes, for commits of the bucket `photos`. */
import { setUp } from './world';

export type Body = Readonly<Record<string, unknown>>;

export const base64 = (text: string) => Buffer.from(text).toString('base64');

export async function world() {
  const opened = await setUp();
  const { ask, deps } = opened;
  const commit = (changes: readonly unknown[], more: Body = {}) =>
    ask({
      method: 'POST',
      path: '/commits',
      body: JSON.stringify({ bucket: 'photos', changes, ...more }),
    });
  const store = (key: string, body = key, headers = {}) =>
    ask({ method: 'PUT', path: `/objects/photos/${key}`, body, headers });
  const read = async (path: string) => {
    const response = await ask({ path });
    return response.status === 200 ? response.body.toString() : response.status;
  };
  const blobs = () => [...deps.state.blobs.keys()].length;
  return { ...opened, commit, store, read, blobs };
}
