import { DAY, type World } from '../../../support/bucket-world';
import { putBack, runRestore } from '../../../support/restore-world';
import { changesSinceBackup, setUp } from './scenario';

const reconciler = ({ state }: World) => JSON.parse(state.service.get('reconcile') ?? 'null');

test('a restore pauses the reconciler for a day, and only when it applies', async () => {
  const { deps: before, moment, backup } = await setUp(changesSinceBackup);
  const deps = putBack(before, backup);
  await runRestore(deps, { moment, apply: false });
  expect(reconciler(deps)).toBeNull();
  const until = deps.clock.now() + DAY;
  await runRestore(deps, { moment });
  expect(reconciler(deps)).toEqual({ part: 'rest', until });
  expect(deps.log.lines).toEqual([]);
});
