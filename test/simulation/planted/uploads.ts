/** Bugs of uploads that go straight to S3. */
import type { Commit } from '../../../core/log/ports';
import type { Ports } from '../service/environment';
import { changed, isOf, type PlantedBug } from './planted-bug';

const STAGED = 'a staged upload takes effect once, and only by a commit that names it';
const PARTS = 'an upload in parts takes effect once, and never when it was aborted or discarded';

export const UPLOADS: readonly PlantedBug[] = [
  {
    title: 'an upload with `commit: false` is committed when S3 reports it',
    seed: 1,
    foundBy: [STAGED],
    plant: (ports, environment) => {
      if (!isOf(environment, 'ingest')) return ports;
      const get: Ports['uploads']['get'] = async (id) => {
        const { awaitsCommit: _, ...upload } = (await ports.uploads.get(id)) ?? {};
        return 'id' in upload ? upload : undefined;
      };
      return { ...ports, uploads: changed(ports.uploads, { get }) };
    },
  },
  {
    title: 'a commit does not require that an upload is still staged',
    seed: 1,
    foundBy: [STAGED],
    plant: (ports, environment) =>
      isOf(environment, 'api') ? { ...ports, commits: withoutUploads(ports) } : ports,
  },
  {
    title: 'an upload stays pending although it was committed',
    seed: 111,
    foundBy: [PARTS],
    plant: (ports, environment) =>
      isOf(environment, 'api') ? ports : { ...ports, commits: withoutUploads(ports) },
  },
];

function withoutUploads({ commits }: Ports): Ports['commits'] {
  const commit = (one: Commit) => {
    const changes = one.changes.map(({ uploadId: _, ...change }) => change);
    return commits.commit({ ...one, changes });
  };
  return changed(commits, { commit });
}
